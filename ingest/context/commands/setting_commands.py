"""Commands that set the kernel, its modules and its disks: `echo none > /sys/block/sda/queue/scheduler`, `sysctl -w`, `hdparm -W0`.

Forms: those of `_command_effects`, behind a prompt where they printed no error, and on lines of their own in shell scripts.
Evidence: commands that ran, and those that a shell script runs whatever its variables are. Mentions, which a text without results
loses (`ingest.text.mentions`): the same in comments, branches, loops, functions and quotes of scripts; anywhere in prose.
Source: sysctl(8), hdparm(8), blockdev(8), nvme(1), mdb(1), tuned-adm(8).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import pairwise

from ingest.context._clues import join_continuation
from ingest.context.settings.kernel_files import path_key
from ingest.lazy_regex import lazy
from ingest.open_keys import spell_open_value
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.state import CACHES_DROPPED
from ingest.text.commands import unwrap
from ingest.text.lines import ShownCommand, Text
from ingest.text.mentions import unconditional_lines

# What one command sets in the kernel, its modules and its disks: (open key, value, device).

_VARIABLE = lazy(r"[$`]")
_ECHO = lazy(
    r"(?:/bin/)?(?:echo|printf)\s+(?:-\w\s+)?(?P<value>'[^']*'|\"[^\"]*\"|[^\s|>&;'\"]+(?:\s+[^\s|>&;'\"]+)*?)\s*"
    r"(?:>{1,2}\s*|\|\s*(?:(?:sudo|doas|pfexec|run0)\s+)?tee\s+(?:-\w\s+)?)(?P<paths>/[^|;&>]+?)\s*(?:>\s*/dev/null)?\Z"
)
_MDB = lazy(
    r"(?:/bin/)?echo\s+[\"']?(?:(?P<module>\w+)`)?(?P<name>[A-Za-z]\w*)/[WwZ]\s*(?P<value>0t\d+|0x[0-9a-fA-F]+|[0-9a-fA-F]+)[\"']?"
    r"\s*\|\s*(?:sudo\s+|pfexec\s+)?(?:/usr/bin/)?mdb\s+-kw\s*\Z"
)
_OF_ZFS = lazy(r"(?:zfs|zil|arc|zfetch|l2arc|spa|metaslab|zio|zvol|dbuf)_")
_DROPS = "sysctl.vm.drop_caches"
_ONCE = frozenset((_DROPS, "sysctl.vm.compact_memory", "sysctl.kernel.sysrq", "sysctl.vm.stat_refresh"))
_ASSIGNMENT = lazy(r"([A-Za-z][\w./%-]*)=(.*)\Z", re.S)

Setting = tuple[str, str | int, str]  # open key, value, device or ''


def settings_of(command: str) -> Iterator[Setting]:
    """What a simple command, or one with a pipe, sets."""
    return (setting for setting in _settings_of(command) if setting[0] not in _ONCE)


def empties_caches(command: str) -> bool:
    """Whether a simple command frees the page cache (Linux Documentation/admin-guide/sysctl/vm.rst: 1 and 3 do)."""
    return any((key, str(value)) in ((_DROPS, "1"), (_DROPS, "3")) for key, value, _ in _settings_of(command))


def _settings_of(command: str) -> Iterator[Setting]:
    command = unwrap(command).strip()
    if echo := _ECHO.match(command):
        yield from _echoed(echo["value"].strip("'\""), echo["paths"].split())
    elif mdb := _MDB.match(command):
        yield _of_debugger(mdb)
    else:
        yield from _of_program(command)


def _echoed(value: str, paths: list[str]) -> Iterator[Setting]:
    for path in paths:
        if not _VARIABLE.search(path + value) and (named := path_key(path, value)):
            yield named


def _of_debugger(mdb: re.Match[str]) -> Setting:
    """A variable of the kernel; mdb reads numbers without a prefix as hexadecimal."""
    printed = mdb["value"]
    number = int(printed[2:]) if printed.startswith("0t") else int(printed, 16)
    module = mdb["module"] or ("zfs" if _OF_ZFS.match(mdb["name"]) else "")
    return (f"system.{module}.{mdb['name']}" if module else f"system.{mdb['name']}"), number, ""


def _of_program(command: str) -> Iterator[Setting]:
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        return
    end = next((index for index, word in enumerate(words) if re.match(r"\d?[|<>]|&", word)), len(words))
    words = words[:end]
    read = _PROGRAMS.get(words[0].rpartition("/")[2]) if words else None
    if read:
        yield from (setting for setting in read(words[1:]) if not _VARIABLE.search(f"{setting[1]}{setting[2]}"))


def _sysctl(words: list[str]) -> Iterator[Setting]:
    for word in words:
        if (assignment := _ASSIGNMENT.match(word)) and not word.startswith("-"):
            yield f"sysctl.{assignment[1].replace('/', '.')}", assignment[2], ""


def _devices(words: list[str]) -> list[str]:
    return [word for word in words if word.startswith("/dev/")]


def _hdparm(words: list[str]) -> Iterator[Setting]:
    """The options -W, -A and -a with a number, joined to it or behind it."""
    text = " ".join(word for word in words if not word.startswith("/dev/"))
    for option, number in re.findall(r"(?:\A|\s)-(W|A|a) ?(\d{1,6})(?=\s|\Z)", text):
        for device in _devices(words):
            if option == "a":
                yield "block.read_ahead_kb", int(number) // 2, device
            elif number in "01":
                yield {"W": "block.write_cache", "A": "block.look_ahead"}[option], "on" if number == "1" else "off", device


def _blockdev(words: list[str]) -> Iterator[Setting]:
    for option, value in pairwise(words):
        if option == "--setra" and re.fullmatch(r"\d{1,9}", value):
            yield from (("block.read_ahead_kb", int(value) // 2, device) for device in _devices(words))


def _nvme(words: list[str]) -> Iterator[Setting]:
    text = " ".join(words)
    feature = re.search(r"(?:\s-f ?|\s--feature-id[= ])(?:0x0*)?0*6(?=\s|\Z)", text)
    value = re.search(r"(?:\s-v ?|\s--value[= ])(?:0x)?0*([01])(?=\s|\Z)", text)
    if text.startswith("set-feature") and feature and value:
        yield from (("block.write_cache", "on" if value[1] == "1" else "off", device) for device in _devices(words))


def _sdparm(words: list[str]) -> Iterator[Setting]:
    state = re.search(r"(?:--set[= ]|-s ?)WCE(?:=([01]))?(?=\s|\Z)|(?:--clear[= ]|-c ?)(WCE)(?=\s|\Z)", " ".join(words))
    if state:
        off = bool(state[2]) or state[1] == "0"
        yield from (("block.write_cache", "off" if off else "on", device) for device in _devices(words))


def _smartctl(words: list[str]) -> Iterator[Setting]:
    for name, state in re.findall(r"(?:-s ?|--set[= ])(wcache|lookahead),(on|off)(?=\s|\Z)", " ".join(words)):
        key = "block.write_cache" if name == "wcache" else "block.look_ahead"
        yield from ((key, state, device) for device in _devices(words))


def _tuned(words: list[str]) -> Iterator[Setting]:
    if words[:1] == ["off"]:
        yield "system.tuned", "off", ""
    elif words[:1] == ["profile"] and len(words) > 1:
        yield "system.tuned", " ".join(words[1:]), ""


def _cpupower(words: list[str]) -> Iterator[Setting]:
    governor = re.search(r"frequency-set\b.*(?:-g ?|--governor[= ])([\w-]+)", " ".join(words))
    if governor:
        yield "system.governor", governor[1], ""


def _modprobe(words: list[str]) -> Iterator[Setting]:
    names = [word for word in words if not word.startswith("-")]
    for word in names[1:]:
        if assignment := _ASSIGNMENT.match(word):
            yield f"module.{names[0].replace('-', '_')}.{assignment[1]}", assignment[2], ""


_PROGRAMS = {
    "sysctl": _sysctl, "hdparm": _hdparm, "blockdev": _blockdev, "nvme": _nvme, "sdparm": _sdparm, "smartctl": _smartctl,
    "tuned-adm": _tuned, "cpupower": _cpupower, "modprobe": _modprobe,
}  # fmt: skip


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


def read(text: Text) -> Iterator[Clue]:
    """Clues of every command, in line order."""
    for line, command in _commands(text):
        joined, _ = join_continuation(text, line, command)
        for simple in re.split(r"&&|;|\n", joined[:4000]) if not _NO_RUN.match(joined) else ():
            if empties_caches(simple):
                yield Clue(line, CACHES_DROPPED, "dropped", command.strip(), "command", "sets", group=line, by_person=True)
            for key, printed, device in settings_of(simple):
                value = spell_open_value(key, printed)
                if value is not None:
                    yield Clue(line, key, value, command.strip(), "command", "sets", subject=device, group=line, by_person=True)


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
    3,
    Anchor(_ANCHOR, "/sys/|/proc/sys/|sysctl|hdparm|--setra|set-feature|sdparm|smartctl|tuned-adm|cpupower|modprobe|mdb"),
    read,
)
