"""Comment lines around results: `# RAIDZ2, no L2ARC, no SLOG`, `# ZFS results on FreeNAS 11`, `# (Ubuntu 12.04.4 LTS)`.

Form: `#` and a blank at the start of a line. Comments are prose, so only unambiguous words (`read_setting_words`) of a few keys
(`_KEYS`) are read, as labels for what follows. Evidence: comments around results. Mentions, left out: comments that recommend,
compare, name the host of a virtual machine ("runs under") or hold a command; all comments of programs and files of settings
without results (`ingest.text.mentions`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ingest.context._clues import label_clue
from ingest.context.labels._setting_words import read_setting_words
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text
from ingest.text.mentions import is_doubtful
from ingest.text.sections import Section

_COMMENT = lazy(r"^[ \t]*#[ \t]+(?P<text>[^#\s][^\n]{2,160})$", re.MULTILINE)
_STORE = tuple(
    "pool.layout pool.log pool.cache fs.type block.write_cache system.zfs.zil_disable system.zfs.zfs_nocacheflush".split()
)
_KEYS = ("os.name", "os.version", "os.family", *_STORE)
_HOSTING = lazy(r"(?i)\b(?:under|on top of|hosted|inside|guest|vmware|esxi|virtualbox|unlike|instead of|compared|versus|vs)\b")
_PROGRAM = lazy(
    r"(?:(?:zpool|zfs|btrfs) (?=[a-z-]+(?: |\Z))(?!(?:mirror|stripe|raid)\w*\b)"
    r"|(?:mount|umount|mkfs\S*|mdadm|apt\S*|yum|pkg|cat|cd|ls|echo|sudo|doas|pfexec|dd|time|sysctl|lsblk|lscpu)\b(?![+.:]))"
)
_PROMPT = lazy(r"\S{1,32} @ \S{1,63} in [~/]")  # `# ubuntu @ nas in ~/x`: the name of a user
_IMAGE = lazy(r"(?i)\b(?:images?|isos?|img|installer|tarball)\b")  # a system that is copied
_COMMAND = lazy(r"\$\(|[|;<>]|(?:\A|\s)-\w\b|(?:\A|\s)/|https?:")


def read(text: Text) -> Iterator[Clue]:
    """Labels of every comment that changes a key in its section."""
    current: dict[tuple[Section, str], object] = {}
    for line, match in text.matches(_COMMENT):
        for key, value in _settings(match["text"]):
            place = text.sections.at(line), key
            if current.get(place) != value:
                current[place] = value
                yield label_clue(line, key, value, match[0].strip(), "comment")


@lru_cache(4096)  # scripts write the same comment before each run
def _settings(words: str) -> tuple[tuple[str, object], ...]:
    if (
        _PROGRAM.match(words)
        or _PROMPT.match(words)
        or is_doubtful(words)
        or any(form.search(words) for form in (_HOSTING, _COMMAND))
    ):
        return ()
    keys = _STORE if _IMAGE.search(words) else _KEYS
    return tuple((key, value) for key, value in read_setting_words(words).items() if key in keys)


READER = Reader("comments", 14, Anchor(_COMMENT, "#"), read)
