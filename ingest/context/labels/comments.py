"""Comment lines around results: `# RAIDZ2, no L2ARC, no SLOG`, `# ZFS results on FreeNAS 11`, `# (Ubuntu 12.04.4 LTS)`.

Comments are prose, so only what they name without doubt is taken, as a label for what follows; a system that something
"runs under" is the host of a virtual machine, and a command in a comment is none.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

from ingest.context.labels._setting_words import TEST_STEP_WORDS, read_setting_words
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_COMMENT = lazy(r"^[ \t]*#[ \t]+(?P<text>[^#\s][^\n]{2,160})$", re.MULTILINE)
_KEYS = ("os.name", "os.version", "os.family", "pool.layout", "pool.log", "pool.cache", "fs.type")
_STORE = ("pool.layout", "pool.log", "pool.cache", "fs.type")
_FENCE = lazy(r"[ \t]{0,3}```")
_HOSTING = lazy(r"(?i)\b(?:under|on top of|hosted|inside|guest|vmware|esxi|virtualbox|unlike|instead of|compared|versus|vs)\b")
_PROGRAM = lazy(
    r"(?:(?:zpool|zfs|btrfs) (?=[a-z-]+(?: |\Z))(?!(?:mirror|stripe|raid)\w*\b)"
    r"|(?:mount|umount|mkfs\S*|mdadm|apt\S*|yum|pkg|cat|cd|ls|echo|sudo|dd|time|sysctl|lsblk|lscpu)\b(?![+.:]))"
)
_PROMPT = lazy(r"\S{1,32} @ \S{1,63} in [~/]")  # `# ubuntu @ nas in ~/x`: a name of a user
_IMAGE = lazy(r"(?i)\b(?:images?|isos?|img|installer|tarball)\b")  # a system that is copied
_COMMAND = lazy(r"\$\(|[|;<>]|(?:\A|\s)-\w\b|(?:\A|\s)/|https?:")


def read(text: Text) -> Iterator[Clue]:
    """The first comment that tells a key tells it for what follows, until a comment tells another value.

    Beside blocks of code these are headings: one that names something else ends what an earlier one told of a store.
    """
    last: dict[str, object] = {}
    fences = list(text.where(_FENCE.match)) if "```" in text.body else []
    title = 0
    for line, match in text.matches(_COMMENT):
        told = _told(match["text"])
        for key, value in told:
            if last.get(key) != value:
                last[key] = value
                yield Clue(line, key, value, match[0].strip(), kind="label", effect="labels", group="comment")
        if not fences or bisect_left(fences, line) % 2 or _PROGRAM.match(match["text"]) or _COMMAND.search(match["text"]):
            continue  # a comment inside a block of code, or what root typed
        title = title or line
        if told or line == title or not last.keys() & set(_STORE) or TEST_STEP_WORDS.search(match["text"]):
            continue
        for key in sorted(last.keys() & set(_STORE)):
            del last[key]
            yield Clue(line, key, None, match[0].strip(), "label", "ends", group="comment")


@lru_cache(4096)  # scripts write the same comment before each run
def _told(words: str) -> tuple[tuple[str, object], ...]:
    if _PROGRAM.match(words) or _PROMPT.match(words) or _HOSTING.search(words) or _COMMAND.search(words):
        return ()
    keys = _STORE if _IMAGE.search(words) else _KEYS
    return tuple((key, value) for key, value in read_setting_words(words).items() if key in keys)


READER = Reader("comments", 10, Anchor(_COMMENT, "#"), read)
