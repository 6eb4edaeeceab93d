"""Commands that change the configuration, in a transcript or a script: zpool, zfs, mount, mkfs, mdadm.

Source: zpool-create(8), zfs-set(8), zfs-create(8), mount(8), mkfs.btrfs(8), mke2fs(8), mdadm(8). A command that printed
an error changed nothing; a value that stands in a variable ends what was known without telling what came.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ingest.context.commands import _command_effects
from ingest.context.commands._continuation_lines import join_continuation
from ingest.context.zfs._property_names import DatasetPaths, pool_name
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_NAMES = r"zpool|zfs|mount|umount|mkfs(?:\.\w+)?|mke\dfs|newfs|mdadm|btrfs"
_ANCHOR = lazy(rf"\b(?:{_NAMES})[ \t]+\S")
_SCRIPT_LINE = lazy(rf"^[ \t]*(?:sudo[ \t]+)?(?:{_NAMES})[ \t]+\S[^\n]*$", re.MULTILINE)
_FENCE = lazy(r"[ \t]{0,12}(?:`{3,}|~{3,})[ \t]*(\w*)[^`]*\Z")
_INDENTED = lazy(r"(?: {4}|\t)[ \t]*\S")  # a block of code in Markdown, below a blank line
_SHELLS = ("", "sh", "bash", "zsh", "ksh", "shell", "console", "shellsession", "terminal", "text", "txt")
_CREATES = lazy(r"[ \t]*(?:sudo[ \t]+)?zpool[ \t]+create[ \t](?:[^\n]*?[ \t])??(?!-)([A-Za-z][\w.:-]{0,60})[ \t]")
# What makes a device a file system, an array; what puts one in its place.
_FORMATS = lazy(r"[ \t]*(?:sudo[ \t]+)?(?:mkfs(?:\.\w+)?|mke2fs)[ \t](?:[^\n]*[ \t])?(?P<device>/dev/[\w./-]+)[ \t]*\Z")
_ARRAYS = lazy(r"[ \t]*(?:sudo[ \t]+)?mdadm[ \t]+(?=[^\n]*(?:-C|--create)\b)[^\n]*?(?P<device>/dev/md[\w./-]+)")
_MOUNTS = lazy(r"[ \t]*(?:sudo[ \t]+)?mount[ \t](?:[^\n]*[ \t])?(?P<device>/dev/[\w./-]+)[ \t]+/\S*[ \t]*\Z")
_DISK = (
    r"(?:/\S+|(?:a?da|nvd|vtbd|md|mfid|[shv]d|xvd)[a-z]{0,2}\d*(?:[ps]\d+)?[a-h]?|nvme\d+n\d+(?:p\d+)?"
    r"|disk\d+(?:s\d+)?|c\d+t\w+|(?:gpt|gptid|label|ata-|scsi-|wwn-)[\w:./+-]+)"
)
_DATA_SET = r"[A-Za-z][\w.:/-]{0,100}"
_LONE = lazy(  # whole commands, each alone on its line, of which every word is understood
    rf"(?:sudo[ \t]+)?(?:zfs[ \t]+(?:set(?:[ \t]+\w+=[\w.:/-]+)+|create(?:[ \t]+-p)?(?:[ \t]+-o[ \t]+\w+=[\w.:/-]+)+)"
    rf"[ \t]+{_DATA_SET}"
    rf"|zpool[ \t]+create(?:[ \t]+-f|[ \t]+-[oOm][ \t]+[\w.:/=@-]+)*[ \t]+[A-Za-z][\w.:-]{{0,60}}"
    rf"(?:[ \t]+(?:mirror|raidz\d?|log|cache|special|spare|{_DISK}))+)[ \t]*\Z"
)
_RUNS = lazy(r"[ \t]*(?:\Z|\d|(?:sudo|time|dd|iozone|bonnie\+\+|fio|cp|rsync|tar)[ \t]|Version )")  # what follows them
_TESTS = lazy(r"[ \t]*(?:sudo[ \t]+)?(?:time[ \t]+)?(?:bonnie\+\+|iozone|fio|filebench|ior|mdtest|dd)[ \t]+\S")
_STARTED = lazy(r"^[ \t]*(?:[#>][ \t]*)?mdadm: array (?P<device>/dev/md\S*) started", re.MULTILINE)
_OF_DATA_SETS = ("pool.compression", "pool.dedup", "pool.sync", "pool.copies")  # which volumes have, too
_FARTHEST = 12  # lines that mdadm --create prints at most before it
_EXAMPLE = lazy(r"<[\w -]+>|\.\.\.|\u2026|\[[\w -]+\]|(?<!/)\b(?:POOL|DISK|DEVICE)S?\d?\b")
_FAILED = lazy(
    r"(?:cannot |invalid |usage:|missing |zpool: |zfs: |mount: |mkfs|umount: |internal error|[Pp]ermission denied"
    r"|must be superuser|bash: |.*command not found|.*: not found)"
)


def read(text: Text) -> Iterator[Clue]:
    """Clues of every command, in line order. What was made on a device is told of the folder it is mounted on."""
    made: dict[str, dict[str, object]] = {}
    formatted = _formatted(text)
    moved = {line for line, _ in formatted}  # what these make is told of the folder alone
    folders = DatasetPaths(text.body)
    last = 0
    for line, command in _ran(text, formatted):
        if line <= last or not _ANCHOR.search(command):
            continue
        joined, last = join_continuation(text, line, command)
        for part in re.split(r"&&|\|\||;|\n", joined[:4000]):
            told = set[str]()
            for clue in _command_effects.command_clues(line, part.strip(), made):
                clue = clue if last == line else replace(clue, raw=command.strip())
                of_data_set = clue.key in _OF_DATA_SETS and clue.effect == "sets" and clue.subject[:1].isalpha()
                if of_data_set and clue.subject not in told and clue.subject in folders.named:
                    told.add(clue.subject)
                    yield replace(clue, key="pool.name", value=pool_name(clue.subject), subject=pool_name(clue.subject))
                    yield replace(clue, key="fs.type", value="zfs")
                if clue.subject.startswith("/dev/") and clue.effect == "sets":
                    made.setdefault(clue.subject, {})[clue.key] = clue.value
                    if line in moved:
                        continue
                yield clue


def _ran(text: Text, formatted: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    if text.commands:
        shown = list(_prompted(text))
        yield from sorted({*shown, *_quoted(text), *formatted, *_started(text, {line for line, _ in shown})})
    elif text.body.startswith("#!") or re.search(r"\.(?:sh|bash|zsh|ksh|csh|tcsh)\Z", text.name):
        for match in _SCRIPT_LINE.finditer(text.body):
            yield text.line_at(match.start()), match[0].strip()
    else:
        yield from sorted({*_quoted(text), *formatted, *_lone(text), *_started(text, set())})


def _started(text: Text, known: set[int]) -> Iterator[tuple[int, str]]:
    """Commands without a prompt that made an array: mdadm says below them that it has started."""
    for match in _STARTED.finditer(text.body):
        line = text.line_at(match.start("device"))
        for above in range(line - 1, max(line - 1 - _FARTHEST, 0), -1):
            shown = _SCRIPT_LINE.match(text.lines[above - 1])
            if shown and "mdadm" in shown[0] and match["device"] in shown[0]:
                if above not in known:
                    yield above, shown[0].strip()
                break


def _lone(text: Text) -> list[tuple[int, str]]:
    """Commands in plain text without a prompt, paragraphs of nothing else; none where a pool is made again and again."""
    if "```" in text.body or "~~~" in text.body:
        return []  # blocks of code have rules of their own
    found = [(line, match[0].strip()) for line, match in text.matches(_LONE) if not _EXAMPLE.search(match[0])]
    lone = {line for line, _ in found}
    found = [(line, command) for line, command in found if _is_apart(text.lines, lone, line)]
    pools = [made[1] for _, line in found if (made := _CREATES.match(line))]
    return [] if len(pools) > len(set(pools)) and "zpool destroy" not in text.body else found


def _is_apart(lines: Sequence[str], lone: set[int], line: int) -> bool:
    """Whether nothing but such commands stands in the paragraph of that line, and the output of what was run then."""
    first = last = line
    while first - 1 in lone:
        first -= 1
    while last + 1 in lone:
        last += 1
    return (first == 1 or not lines[first - 2].strip()) and (last == len(lines) or _RUNS.match(lines[last]) is not None)


def _prompted(text: Text) -> Iterator[tuple[int, str]]:
    last = 0
    for command in text.commands:
        if command.line <= last:
            continue  # the rest of one above, whose prompt for it looks like that of a command
        _, last = join_continuation(text, command.line, command.text)
        first = max(command.first, last + 1)
        output = text.lines[first - 1 : min(max(command.last, first), first + 2)]
        if not any(_FAILED.match(line) for line in output):
            yield command.line, command.text


def _quoted(text: Text) -> list[tuple[int, str]]:
    """Commands without a prompt that make a pool, in a block of code or a script that prose quotes, and those below them there.

    A block shows the output of a command where its prompt stands in it. A pool that is made twice and destroyed by none of
    them is shown in several ways, of which nobody knows the one that ran, but where each of those blocks goes on with a test.
    """
    found: list[tuple[int, str]] = []
    untested: set[int] = set()  # lines that make a pool in a block without a test
    opened = made = last = 0
    fenced = indented = False
    if "zpool create" not in text.body and not re.search(r"zpool[ \t]+create", text.body):
        return found
    for at, line in enumerate(text.lines, 1):
        if fence := _FENCE.match(line):
            fenced, indented, made = not fenced, False, 0
            opened = at if fenced and fence[1].lower() in _SHELLS else 0
        elif indented and line.strip() and not _INDENTED.match(line):
            opened, made, indented = 0, 0, False
        elif not (opened or fenced) and _INDENTED.match(line) and not "".join(text.lines[max(0, at - 2) : at - 1]).strip():
            opened, indented = at, True
        elif line.startswith("#!") and not (opened or fenced):
            opened = at
        if at <= last:
            continue
        if opened and not fence and _SCRIPT_LINE.match(line):
            joined, last = join_continuation(text, at, line)
            if _EXAMPLE.search(joined):
                continue
            command = text.command_for(at)
            if _CREATES.match(joined):
                made = at
                untested.add(at)
            if made and (command is None or command.line < opened):
                found.append((at, line.strip()))
        elif opened and made and _TESTS.match(line):
            untested.discard(made)
    pools = [pool[1] for at, line in found if (pool := _CREATES.match(join_continuation(text, at, line)[0]))]
    if untested and len(pools) > len(set(pools)) and "zpool destroy" not in text.body:
        return []
    return found


def _formatted(text: Text) -> list[tuple[int, str]]:
    """Commands without a prompt in blocks of code that make one file system on a device, mount it, and make that device."""
    if "mkfs" not in text.body and "mke2fs" not in text.body:
        return []
    found: dict[re.Pattern[str], dict[str, list[int]]] = {_FORMATS: {}, _MOUNTS: {}, _ARRAYS: {}}
    fenced = False
    for at, line in enumerate(text.lines, 1):
        if fence := _FENCE.match(line):
            fenced = not fenced and fence[1].lower() in _SHELLS
        elif fenced and "/dev/" in line and _SCRIPT_LINE.match(line) and not _EXAMPLE.search(line):
            for shape, lines in found.items():
                if shown := shape.match(line):
                    lines.setdefault(shown["device"], []).append(at)
    formats, mounts, arrays = found.values()
    if len(formats) != 1:
        return []  # several are shown, of which nobody knows the one that was measured
    ((device, made),) = formats.items()
    if len(made) != 1 or len(mounts.get(device, [])) != 1 or len(arrays.get(device, [])) > 1 or mounts[device] < made:
        return []
    return [(at, text.lines[at - 1].strip()) for at in (*arrays.get(device, []), *made, *mounts[device])]


READER = Reader(
    "command history",
    9,
    Anchor(_ANCHOR, "zpool", "zfs", "mount", "mkfs", "mke0fs", "newfs", "mdadm", "btrfs"),
    read,
    "zpool-create(8), zfs-set(8), mount(8), mkfs(8), mdadm(8)",
)
