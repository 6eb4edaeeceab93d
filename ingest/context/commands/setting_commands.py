"""Commands that set the kernel, its modules and its disks: `echo none > /sys/block/sda/queue/scheduler`, `sysctl -w`, `hdparm -W0`.

Forms: those of `_setting_effects`, behind a prompt where they printed no error, and on lines of their own in shell scripts.
Evidence: commands that ran, and those that a shell script runs whatever its variables are. Mentions, which a text without results
loses (`ingest.text.mentions`): the same in comments, branches, loops, functions and quotes of scripts; anywhere in prose.
Source: see `_setting_effects`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.context.commands._continuation_lines import join_continuation
from ingest.context.commands._setting_effects import settings_of
from ingest.context.settings._dumped_files import limited
from ingest.lazy_regex import lazy
from ingest.open_keys import spell_open_value
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue, Doubt
from ingest.text.lines import ShownCommand, Text
from ingest.text.mentions import unconditional_lines

_WORDS = (
    r"(?:echo|printf|tee)\b[^\n]*/(?:sys|proc/sys)/|sysctl[ \t][^\n]*=|hdparm[ \t][^\n]*-[WAa]|--setra[ \t]|nvme[ \t]+set-feature"
    r"|sdparm[ \t]|smartctl[ \t][^\n]*(?:wcache|lookahead),|tuned-adm[ \t]|cpupower[ \t]|modprobe[ \t][^\n]*=|mdb[ \t]+-kw"
)
_ANCHOR = lazy(rf"(?:{_WORDS})")
_SCRIPT = lazy(r".*\.(?:sh|bash|zsh|ksh|csh|tcsh)\Z")
_FAILED = lazy(
    r"(?i).*(?:permission denied|no such file|not found|invalid argument|write error|unknown (?:oid|key)|cannot |usage:|read-only"
    r"|operation not permitted|failed|inappropriate ioctl|must be superuser)"
)
_NO_RUN = lazy(r"(?:for|while|if|until|case|function)\b|#")


def read(text: Text) -> Iterator[Clue | Doubt]:
    """Clues of every command, in line order."""
    yield from limited(_clues(text), "setting commands")


def _clues(text: Text) -> Iterator[Clue]:
    for line, command in _commands(text):
        joined, _ = join_continuation(text, line, command)
        for simple in re.split(r"&&|;|\n", joined[:4000]) if not _NO_RUN.match(joined) else ():
            for key, printed, device in settings_of(simple):
                value = spell_open_value(key, printed)
                if value is not None:
                    yield Clue(line, key, value, command.strip(), "command", "sets", device, line, by_person=True)


def _commands(text: Text) -> Iterator[tuple[int, str]]:
    """(line, command) of those behind a prompt, else of a script's lines that run whatever its variables are."""
    if text.body.startswith("#!") or _SCRIPT.match(text.name):  # whose comments look like commands behind a prompt
        certain = unconditional_lines(text.lines)
        for index in text.find_lines(_ANCHOR.search):
            if index + 1 in certain:
                yield index + 1, text.lines[index].strip()
    else:
        for command in text.commands:
            if _ANCHOR.search(command.text) and not _has_failed(text, command):
                yield command.line, command.text


def _has_failed(text: Text, command: ShownCommand) -> bool:
    return any(map(_FAILED.match, text.lines[command.first - 1 : min(command.last, command.first + 2)]))


READER = Reader(
    "setting commands",
    1,
    Anchor(
        _ANCHOR,
        "/sys/",
        "/proc/sys/",
        "sysctl",
        "hdparm",
        "--setra",
        "set-feature",
        "sdparm",
        "smartctl",
        "tuned-adm",
        "cpupower",
        "modprobe",
        "mdb",
    ),
    read,
    "sysctl(8), hdparm(8), blockdev(8), nvme(1), mdb(1), tuned-adm(8)",
)
