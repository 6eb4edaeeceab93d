"""Commands that change the configuration: zpool, zfs, mount, mkfs, mdadm; and the state before a run: blkdiscard, fstrim, lvcreate.

Forms, in a text with prompts: commands behind a prompt whose output begins with no error; commands without one in a block of shell
code (fenced, indented, or from `#!` on) from its first `zpool create` on; `mkfs` and `mount` of the one device of such blocks; an
mdadm command above `mdadm: array ... started`. In a script (by its name or `#!`): every line that begins with such a command. In a
text without prompts: the forms in blocks, and paragraphs of nothing but complete commands.
A value in a shell variable ends the key without a new value.
Evidence: commands that ran, and those that a shell script runs whatever its variables are. Mentions, which a text without results
loses (`ingest.text.mentions`): commands in comments, branches, loops, functions, quotes and here-documents of scripts, in other
programs, playbooks, help texts and advice.
Source: zpool-create(8), zfs-set(8), zfs-create(8), mount(8), mkfs.btrfs(8), mke2fs(8), mdadm(8).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import Enum, auto

from ingest.context._clues import join_continuation
from ingest.context.commands import _command_effects
from ingest.context.commands._state_commands import ERASED
from ingest.context.zfs._property_names import DatasetPaths, pool_name
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.commands import FRONT, SHELL_START, unwrap
from ingest.text.lines import Text

_MAKERS = r"mkfs(?:\.\w+)?|mk(?:e\d|reiser|nt|exfat)fs|newfs(?:_\w+)?|(?:jfs|gfs\d)_mkfs|bcachefs[ \t]+format"
_NAMES = (
    rf"zpool|zfs|mount|umount|{_MAKERS}|mdadm|btrfs|lctl|lfs|blkdiscard|fstrim|lvcreate|sg_(?:sanitize|format)"
    r"|nvme(?=[ \t]+(?:format|sanitize))|hdparm(?=[^\n]*[ \t]--(?:security-erase|trim-sector))|date(?=[ \t]+(?:-s|--set))"
    r"|timedatectl(?=[ \t]+set-time)|hwclock|ntpdate|chronyc"
)
_ANCHOR = lazy(rf"\b(?:{_NAMES})[ \t]+\S")
_SCRIPT_LINE = lazy(rf"^[ \t]*{FRONT}*{SHELL_START}?(?:{_NAMES})[ \t]+\S[^\n]*$", re.MULTILINE)
_FENCE = lazy(r"[ \t]{0,12}(?:`{3,}|~{3,})[ \t]*(\w*)[^`]*\Z")
_INDENTED = lazy(r"(?: {4}|\t)[ \t]*\S")  # a block of code in Markdown, below a blank line
_SHELLS = ("", "sh", "bash", "zsh", "ksh", "shell", "console", "shellsession", "terminal", "text", "txt")
_CREATES = lazy(r"zpool[ \t]+create[ \t](?:[^\n]*?[ \t])??(?!-)([A-Za-z][\w.:-]{0,60})[ \t]")
# Commands that create a file system or an array on a device, and that mount it.
_FORMATTING = ("mkfs", "mke2fs", "mkreiserfs", "mkntfs", "mkexfatfs", "newfs", "bcachefs")
_FORMATS = lazy(
    rf"(?:{_MAKERS})[ \t](?:[^\n]*[ \t])?"
    r"(?P<device>/dev/[\w./{},-]+)(?:[ \t]+-[^\n]*)?[ \t]*\Z"
)
_ARRAYS = lazy(r"mdadm[ \t]+(?=[^\n]*(?:-C|--create)\b)[^\n]*?(?P<device>/dev/md[\w./-]+)")
_MOUNTS = lazy(r"mount[ \t](?:[^\n]*[ \t])?(?P<device>/dev/[\w./-]+)[ \t]+/\S*[ \t]*\Z")
_DISK = (
    r"(?:/\S+|(?:a?da|nvd|vtbd|md|mfid|[shv]d|xvd)[a-z]{0,2}\d*(?:[ps]\d+)?[a-h]?|nvme\d+n\d+(?:p\d+)?"
    r"|disk\d+(?:s\d+)?|c\d+t\w+|(?:gpt|gptid|label|ata-|scsi-|wwn-)[\w:./+-]+)"
)
_DATA_SET = r"[A-Za-z][\w.:/-]{0,100}"
_LONE = lazy(  # complete commands, each alone on its line, every word of which is understood
    rf"[ \t]*{FRONT}*(?:zfs[ \t]+(?:set(?:[ \t]+\w+=[\w.:/-]+)+|create(?:[ \t]+-p)?(?:[ \t]+-o[ \t]+\w+=[\w.:/-]+)+)"
    rf"[ \t]+{_DATA_SET}"
    rf"|zpool[ \t]+create(?:[ \t]+-f|[ \t]+-[oOm][ \t]+[\w.:/=@-]+)*[ \t]+[A-Za-z][\w.:-]{{0,60}}"
    rf"(?:[ \t]+(?:mirror|raidz\d?|log|cache|special|spare|{_DISK}))+"
    rf"|(?:{_MAKERS})(?:[ \t]+-{{1,2}}\w[\w-]*(?:[ =][\w,.:=]+)?)*(?:[ \t]+/dev/[\w./-]+)+"
    r"|mount(?:[ \t]+-[ot][ \t]+\S+)*[ \t]+/dev/[\w./:-]+[ \t]+/\S*)[ \t]*\Z"
)
# The line after lone commands.
_RUNS = lazy(r"[ \t]*(?:\Z|\d|(?:sudo|doas|pfexec|time|dd|iozone|bonnie\+\+|fio|cp|rsync|tar)[ \t]|Version )")
_TESTS = lazy(rf"[ \t]*{FRONT}*(?:bonnie\+\+|iozone|fio|filebench|ior|mdtest|dd)[ \t]+\S")
_STARTED = lazy(r"^[ \t]*(?:[#>][ \t]*)?mdadm: array (?P<device>/dev/md\S*) started", re.MULTILINE)
_OF_DATA_SETS = ("pool.compression", "pool.dedup", "pool.sync", "pool.copies", "zfs.")  # volumes have them, too
_FARTHEST = 12  # lines that mdadm --create prints at most before it
_EXAMPLE = lazy(r"<[\w -]+>|\.\.\.|\u2026|\[[\w -]+\]|(?<!/)\b(?:POOL|DISK|DEVICE)S?\d?\b")
_FAILED = lazy(
    r"(?:cannot |invalid |usage:|missing |zpool: |zfs: |mount: |mkfs|umount: |internal error|[Pp]ermission denied"
    r"|must be superuser|bash: |.*command not found|.*: not found|(?:date|fstrim|lvcreate|hwclock|timedatectl|nvme|chronyc): "
    r"|blkdiscard: .*(?:failed|not supported|override|cannot)|NVMe status|Failed to |ERROR: |[ ]{2}(?:Volume group|Insufficient) )"
)
# What a list of commands (`umount /mnt; mkfs ...`) begins with, and that there was nothing to undo: the list goes on.
_UNDOES = lazy(r"(?:\A|[\s/])(?:umount\s|(?:zpool|zfs)\s+(?:destroy|export|unmount|umount)\s)")
_NOT_THERE = lazy(
    r"(?i)(?:umount: (?!.*\bbusy\b).*(?:not (?:currently )?mounted|no mount point|not found|no such|not a file ?system root|mnttab)"
    r"|cannot (?:open|destroy|export|unmount) .*(?:no such|not exist|not (?:currently )?mounted))"
)


def read(text: Text) -> Iterator[Clue]:
    """Clues of every command, in line order; settings of a device also have the folder as subject on which it is mounted."""
    device_settings: dict[str, dict[str, object]] = {}
    formatted = _formatting_commands(text)
    is_mounted = any("mount" in command for _, command in formatted)
    formatting_lines = {line for line, _ in formatted if is_mounted}  # clues of these have the folder as subject alone
    folders = DatasetPaths(text.body)
    last = 0
    for line, command in _commands(text, formatted):
        if line <= last or not _ANCHOR.search(command):
            continue
        joined, last = join_continuation(text, line, command)
        changes: dict[tuple[str, str], Clue] = {}  # of a list of commands (`umount /mnt; mount ...`) the last of each
        for simple_command in re.split(r"&&|\|\||;|\n", unwrap(joined[:4000])):
            named_pools = set[str]()
            for clue in _command_effects.command_clues(line, simple_command.strip(), device_settings):
                clue = clue if last == line else replace(clue, raw=command.strip())
                of_data_set = clue.key.startswith(_OF_DATA_SETS) and clue.effect == "sets" and clue.subject[:1].isalpha()
                if of_data_set and clue.subject not in named_pools and clue.subject in folders.names:
                    named_pools.add(clue.subject)
                    pool = replace(clue, key="pool.name", value=pool_name(clue.subject), subject=pool_name(clue.subject))
                    changes |= {
                        (pool.key, pool.subject): pool,
                        ("fs.type", clue.subject): replace(clue, key="fs.type", value="zfs"),
                    }
                if clue.subject.startswith("/") or clue.key == ERASED:  # a device, or an image that is mounted
                    _keep_setting(device_settings.setdefault(clue.subject, {}), clue)
                if (clue.subject.startswith("/dev/") or clue.key == ERASED) and line in formatting_lines:
                    continue
                changes[clue.key, clue.subject] = clue
        yield from changes.values()


def _keep_setting(settings: dict[str, object], clue: Clue) -> None:
    """Change what is known of a device by a clue about it."""
    if clue.effect == "sets":
        settings[clue.key] = clue.value
    elif clue.key.endswith(".*"):
        for key in [key for key in settings if key.startswith(clue.key[:-1])]:
            del settings[key]
    else:
        settings.pop(clue.key, None)


def _commands(text: Text, formatted: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """(line, command) of all forms, by line."""
    if text.commands:
        prompted = list(_prompted(text))
        yield from sorted({*prompted, *_quoted(text), *formatted, *_started(text, {line for line, _ in prompted})})
    elif text.body.startswith("#!") or re.search(r"\.(?:sh|bash|zsh|ksh|csh|tcsh)\Z", text.name):
        for match in _SCRIPT_LINE.finditer(text.body):
            yield text.line_at(match.start()), match[0].strip()
    else:
        yield from sorted({*_quoted(text), *formatted, *_lone(text), *_started(text, set())})


def _started(text: Text, prompted_lines: set[int]) -> Iterator[tuple[int, str]]:
    """mdadm commands without a prompt above its message that the array has started."""
    for match in _STARTED.finditer(text.body):
        line = text.line_at(match.start("device"))
        for above in range(line - 1, max(line - 1 - _FARTHEST, 0), -1):
            command = _SCRIPT_LINE.match(text.lines[above - 1])
            if command and "mdadm" in command[0] and match["device"] in command[0]:
                if above not in prompted_lines:
                    yield above, command[0].strip()
                break


def _lone(text: Text) -> list[tuple[int, str]]:
    """Paragraphs of nothing but complete commands, in plain text; nothing where they are alternatives."""
    if "```" in text.body or "~~~" in text.body:
        return []  # blocks of code have rules of their own
    commands = [(line, match[0].strip()) for line, match in text.matches(_LONE) if not _EXAMPLE.search(match[0])]
    lone = {line for line, _ in commands}
    commands = [(line, command) for line, command in commands if _is_apart(text.lines, lone, line)]
    return [] if _are_alternatives(text, (command for _, command in commands)) else commands


def _are_alternatives(text: Text, commands: Iterable[str]) -> bool:
    """Whether the commands create a pool twice in a text that destroys none: which of them ran is unknown."""
    pools = [created[1] for command in commands if (created := _CREATES.match(unwrap(command)))]
    return len(pools) > len(set(pools)) and "zpool destroy" not in text.body


def _is_apart(lines: Sequence[str], lone: set[int], line: int) -> bool:
    """Whether the paragraph of that line has nothing but such commands, and maybe the output of a test below them."""
    first = last = line
    while first - 1 in lone:
        first -= 1
    while last + 1 in lone:
        last += 1
    return (first == 1 or not lines[first - 2].strip()) and (last == len(lines) or _RUNS.match(lines[last]) is not None)


def _prompted(text: Text) -> Iterator[tuple[int, str]]:
    """Commands behind a prompt that printed no error; of a list what is left without what had nothing to undo."""
    last = 0
    for command in text.commands:
        if command.line <= last:
            continue  # a continuation line: its prompt looks like that of a command
        _, last = join_continuation(text, command.line, command.text)
        first = max(command.first, last + 1)
        output = text.lines[first - 1 : min(max(command.last, first), first + 2)]
        parts = command.text.split(";")
        for error in filter(_FAILED.match, output):
            undoes = next((part for part in parts[:-1] if _UNDOES.search(part)), None) if _NOT_THERE.match(error) else None
            if undoes is None:
                break
            parts.remove(undoes)
        else:
            yield command.line, ";".join(parts)


class _Place(Enum):
    """Where a line of a document stands."""

    PROSE = auto()
    FENCED = auto()
    INDENTED = auto()
    SCRIPT = auto()  # from a line `#!` in prose to the next fence


def _code_lines(text: Text) -> Iterator[tuple[int, str, int]]:
    """(number, line, number of the first line of the block) of every line in a block of shell code, fences aside."""
    place, first = _Place.PROSE, 0  # 0: outside, or in a block of another language
    previous = ""
    for number, line in enumerate(text.lines, 1):
        if fence := _FENCE.match(line):
            place = _Place.PROSE if place is _Place.FENCED else _Place.FENCED
            first = number if place is _Place.FENCED and fence[1].lower() in _SHELLS else 0
        elif place is _Place.INDENTED and line.strip() and not _INDENTED.match(line):
            place, first = _Place.PROSE, 0
        elif place is _Place.PROSE and _INDENTED.match(line) and not previous.strip():
            place, first = _Place.INDENTED, number
        elif place is _Place.PROSE and line.startswith("#!"):
            place, first = _Place.SCRIPT, number
        if first and not fence:
            yield number, line, first
        previous = line


def _quoted(text: Text) -> list[tuple[int, str]]:
    """Commands without a prompt in blocks of shell code, from the one that creates a pool to the end of its block.

    A command below a prompt of its block is output. Nothing where the blocks are alternatives, unless a test follows in
    each block that creates a pool.
    """
    if "zpool create" not in text.body and not re.search(r"zpool[ \t]+create", text.body):
        return []
    commands: list[tuple[int, str]] = []
    untested: set[int] = set()  # lines that create a pool in a block without a test
    block = created = last = 0
    for number, line, first in _code_lines(text):
        if first != block:
            block, created = first, 0
        if number <= last:
            continue  # a continuation line
        if _SCRIPT_LINE.match(line):
            joined, last = join_continuation(text, number, line)
            if _EXAMPLE.search(joined):
                continue
            if _CREATES.match(unwrap(joined)):
                created = number
                untested.add(number)
            if created and not _is_below_prompt(text, number, first):
                commands.append((number, line.strip()))
        elif created and _TESTS.match(line):
            untested.discard(created)
    joined_commands = (join_continuation(text, number, command)[0] for number, command in commands)
    return [] if untested and _are_alternatives(text, joined_commands) else commands


def _is_below_prompt(text: Text, number: int, first: int) -> bool:
    """Whether the line belongs to a command with a prompt at or after line `first`."""
    command = text.command_for(number)
    return command is not None and command.line >= first


def _formatting_commands(text: Text) -> list[tuple[int, str]]:
    """(line, command) of the commands without a prompt in fenced blocks that create an array, a file system on it, and mount it.

    In this order; empty unless one command formats, and one mounts what it formatted, or none mounts and a block follows it.
    """
    if not any(word in text.body for word in _FORMATTING):
        return []
    lines_of: dict[re.Pattern[str], dict[str, list[int]]] = {_FORMATS: {}, _MOUNTS: {}, _ARRAYS: {}}
    fenced, joined = False, dict[int, str]()
    for number, line in enumerate(text.lines, 1):
        if fence := _FENCE.match(line):
            fenced = not fenced and fence[1].lower() in _SHELLS
        elif fenced and _SCRIPT_LINE.match(line) and not _EXAMPLE.search(line):
            joined[number], _ = join_continuation(text, number, line)
            for form, lines in lines_of.items():
                if command := form.match(unwrap(joined[number])):
                    lines.setdefault(command["device"], []).append(number)
    formats, mounts, arrays = lines_of.values()
    if len(formats) != 1:
        return []  # which of several was measured is unknown
    ((device, format_lines),) = formats.items()
    formatted = joined[format_lines[0]].split()
    mounted = [line for named, lines in mounts.items() if named in formatted for line in lines]
    if (
        len(format_lines) != 1
        or len(mounted) != bool(mounts)
        or len(arrays.get(device, [])) > 1
        or mounted < format_lines[: len(mounted)]
        or (not mounts and sum(_FENCE.match(line) is not None for line in text.lines[format_lines[0] :]) < 2)
    ):
        return []
    return [(number, text.lines[number - 1].strip()) for number in (*arrays.get(device, []), *format_lines, *mounted)]


READER = Reader(
    "command history",
    16,
    Anchor(
        _ANCHOR,
        "zpool|zfs|mount|mkfs|mke0fs|mkreiserfs|mkntfs|mkexfatfs|newfs|bcachefs|mdadm|btrfs|lctl|lfs|blkdiscard|fstrim|lvcreate|sg_sanitize|sg_format|nvme|hdparm|date"
        "|timedatectl|hwclock|ntpdate|chronyc",
    ),
    read,
)
