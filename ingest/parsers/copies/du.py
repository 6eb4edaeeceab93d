"""Space used by a copy: sizes of `du -s`, and ratios shown by `zfs get` and `zpool get` or typed by people.

A size or ratio belongs to the operation that wrote the data: the nearest command above it that wrote there.

Shapes of du (name | versions | units | traps):
    du -s beside a copy | GNU, BSD | K, M, G = powers of 1024 | blocks without a unit are not recorded
    zfs get compressratio, zpool get dedupratio | all | ratio | only where asked for by name, after a copy
    Kompression: 1,54 | typed by people | ratio | origin is derived

Source: GNU du manual, du.1 of FreeBSD, zfsprops.7, zpoolprops.7
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ingest import units
from ingest.lazy_regex import lazy
from ingest.numbers import parse_number
from ingest.parsers.copies._timing_command import TIMER, parse_timed_command
from ingest.plugin_api import Anchor, Parser
from ingest.records import Doubt, Found, Value
from ingest.text.lines import Text

_NUM = r"\d{1,15}(?:[.,]\d{1,4})?"
_DU = lazy(rf"^\s*({_NUM})([KMGTPkmg]?(?:i?B)?)[ \t]+((?:/|\./?|~)[^\n]{{0,200}}|\w[\w./-]{{0,200}})\s*\Z")
_DU_WITHOUT_PATH = lazy(rf"^\s*({_NUM})([KMGTP](?:i?B)?)\s*\Z")  # a page lost the path
_RATIO = lazy(rf"(?:^|\s)(compressratio|refcompressratio|dedupratio)\s+({_NUM})x(?:\s|\Z)")
_UNIT_NAMES: dict[float, str] = {1: "B", units.K: "KiB", units.M: "MiB", units.G: "GiB"}
_BARE_RATIO = lazy(rf"^\s*({_NUM})x\s*\Z")
_REQUESTED = lazy(r"\b(?:zfs|zpool) (?:get|list)\b[^|;&\n]{0,100}?\b(compressratio|refcompressratio|dedupratio|dedup)\b")
_TYPED_RATIO = lazy(
    r"^[\s>|*#-]{0,16}(?P<name>(?:Kompression(?:s?(?:rate|faktor|ratio|grad|verh\u00e4ltnis))?|"
    r"compress(?:ion)?[ -]?(?:ratio|factor|rate)|"
    r"(?P<dedup>(?:De-?[Dd]uplikation|[Dd]eduplication|[Dd]edup)"
    r"(?:s?[ -]?(?:rate|faktor|ratio|factor))?)))\s{0,8}[:=]\s{0,8}"
    rf"(?P<value>{_NUM})\s?(?:x|:\s?1)?\s*\Z",
    re.I,
)
ANCHOR = lazy(r"\bdu -\w*|compressratio|dedupratio|Kompression|[Dd]e-?[Dd]up|compress(?:ion)?[ -]?(?:ratio|factor|rate)", re.I)
_COMMAND = lazy(
    r"(?:^|[$#%>]\s{1,3}|^[\s>+]{0,12})(?=(?:sudo\s+)?(?:(?:\\|/usr/bin/)?time\s+(?:-\w\s+)?)?(?:du|cp|rsync|tar|dd|zfs|zpool)\s+\S)"
)
_RSYNC_SENT = lazy(r"\bsent \d[\d,.]*[kKMGTP]?B? bytes\s+received ")
_TOTAL = lazy(r"^total size is (\d[\d,]{0,20})\s")
_HEADING = lazy(r"^\s{0,3}(?:#{3,}|={3,}|-{5,})")
_WRITERS = {"copy", "extract", "archive"}
_COMPUTED = "computed by the person who wrote it"


@dataclass(slots=True)
class _Writer:
    """An operation that wrote data: `line` of its command or summary, `total` bytes of rsync's summary with their line.

    `shown`: name and value of a ratio -> the lines of its first appearance, that of the ratio first.
    """

    line: int
    tool: str
    operation: str
    text: str
    total: tuple[int, int] | None = None
    shown: dict[tuple[str, float], tuple[int, ...]] = field(default_factory=dict)

    def wrote(self, path: str) -> bool:
        """Whether its target is the path, lies under it or contains it; true for an unknown target."""
        target, place = (self.target or "").rstrip("/"), path.rstrip("/") or "/"
        return not target or target == place or target.startswith(place + "/") or place.startswith(target + "/")

    @property
    def target(self) -> str | None:
        """Where the command wrote: the last operand of cp and rsync, tar's -C or archive, dd's of=."""
        words = [word for word in re.split(r"\s+", re.split(r"[;|&>)]", self.text)[0].strip()) if word]
        if self.tool == "dd":
            return next((word[3:] for word in words if word.startswith("of=")), None)
        if self.operation == "archive":
            return next((word for word in words if re.search(r"\.(?:tar|tgz|tbz2?|txz|tzst|tar\.\w{1,4})\Z", word)), None)
        if self.operation == "extract":
            return next((operand for option, operand in itertools.pairwise(words) if option == "-C"), None)
        return words[-1] if words and not words[-1].startswith("-") else None


class _Command(NamedTuple):
    """The latest command and its line; no text after a heading. `runs_du`: it calls du with options."""

    line: int
    text: str
    runs_du: bool = False


class _Quantity(NamedTuple):
    """A printed size or ratio: quantity of the catalogue, name given by the tool, value in the base unit, printed text and unit."""

    name: str
    native: str
    value: float
    unit: str
    raw: str
    raw_unit: str


def parse(text: Text) -> Iterator[Found]:
    """Sizes and ratios with the operation that wrote the data, in line order."""
    commands = _find_commands(text)
    writers: list[_Writer] = []
    command = _Command(0, "")
    for number, line in enumerate(map(str.rstrip, text.lines), 1):
        if number in commands:
            command = _Command(number, commands[number], bool(re.search(r"\bdu\s+-", commands[number])))
            if writer := _parse_writer(command):
                writers = [*writers[-7:], writer]
            continue
        if _HEADING.match(line):
            writers, command = [], _Command(number, "")
        elif "sent " in line and _RSYNC_SENT.search(line) and not _is_rsync_running(writers, command):
            writers = [*writers[-7:], _Writer(number, "rsync", "copy", "")]
        yield from _read_line(line, number, command, writers)


def _is_rsync_running(writers: list[_Writer], command: _Command) -> bool:
    """Whether the summary of rsync belongs to the latest command."""
    return bool(writers) and writers[-1].tool == "rsync" and "rsync" in command.text


def _read_line(line: str, number: int, command: _Command, writers: list[_Writer]) -> Iterable[Found]:
    """The size or ratio on a line; the total of rsync's summary is kept with its writer."""
    if writers and writers[-1].tool == "rsync" and (match := _TOTAL.match(line)):
        writers[-1].total = int(match[1].replace(",", "")), number
        return ()
    if match := _TYPED_RATIO.match(line):
        return _read_typed_ratio(match, number, writers)
    if "ratio" in line and (match := _RATIO.search(line)):
        return _read_property(match, number, command, writers)
    if line.endswith("x") and (match := _BARE_RATIO.match(line)):
        return _read_bare_ratio(match, number, command, writers)
    if command.runs_du and (match := _DU.match(line)):
        return _read_size((match[1], match[2], match[3]), number, command, writers)
    if command.runs_du and re.match(r"du\s+-", command.text) and (match := _DU_WITHOUT_PATH.match(line)):
        return _read_size((match[1], match[2], ""), number, command, writers)
    return ()


def _find_commands(text: Text) -> dict[int, str]:
    """The commands of a transcript by line; of another text, those of the tools concerned."""
    if text.commands:
        return {command.line: command.text for command in text.commands}
    commands = {}
    for number, line in enumerate(text.lines, 1):
        if match := _COMMAND.search(line[:300]):
            commands[number] = line[match.end() :].strip()
    return commands


def _parse_writer(command: _Command) -> _Writer | None:
    """The operation of a command that wrote data, None for other commands."""
    timed = parse_timed_command(command.text, command.line)
    if timed is None:
        return None
    if timed.tool == "dd" and timed.params.get("operation") == "write":
        return _Writer(command.line, "dd", "write", command.text)
    if timed.operation in _WRITERS:
        return _Writer(command.line, timed.tool, timed.operation, TIMER.sub("", command.text))
    return None


def _read_size(printed: tuple[str, str, str], number: int, command: _Command, writers: list[_Writer]) -> Iterator[Found]:
    """The size printed by du as number, suffix and path; "" where there is none."""
    raw, suffix, path = printed
    writer = next((writer for writer in reversed(writers) if writer.wrote(path)), None)
    if writer is None:
        return
    factor = _find_block_size(command.text, suffix)
    parsed = parse_number(raw)
    if parsed is None or factor is None:
        yield Doubt(number, "unknown-unit", "du printed blocks whose size depends on the system; not recorded. Use -k, -B or -h")
        return
    raw_unit = suffix or _UNIT_NAMES.get(factor, f"{factor:g} B")
    size = _Quantity("size", "du", parsed.value * factor, "B", raw + suffix, raw_unit)
    yield _make_value(writer, number, size, command, f"du of {path}" if path else "du")


def _find_block_size(command: str, suffix: str) -> float | None:
    """Bytes of one unit that du printed, by its suffix, else by the options; None where it depends on the system."""
    if suffix:
        decimal = {"K": units.KB, "k": units.KB, "M": units.MB, "G": units.GB, "T": units.TB} if " --si" in command else {}
        return {**units.DU, **decimal}.get(suffix)
    options = "".join(re.findall(r"\s-([A-Za-z]+)", command))
    if "-B1 " in command + " " or "b" in options or "--bytes" in command:
        return 1
    for letter, factor in (("k", units.K), ("m", units.M), ("g", units.G)):
        if letter in options:
            return factor
    size = re.search(r"(?:-B\s*|--block-size=)(\d*)([KMG]?B?)(?:\s|\Z)", command)
    return int(size[1] or 1) * units.DU[size[2]] if size and size[2] in units.DU and (size[1] or size[2]) else None


def _read_property(match: re.Match[str], number: int, command: _Command, writers: list[_Writer]) -> Iterator[Found]:
    """A ratio requested by name after a copy; one in the output of `get all` is a property and no result."""
    name, raw, row = match[1], match[2], match.string[max(0, match.start() - 300) : match.start()].split()
    parsed = parse_number(raw)
    if name in command.text and writers and parsed is not None:
        dataset = f"/{row[-1]}/" if row else ""
        matching = (writer for writer in reversed(writers) if dataset and f"{writer.target or ''}/".startswith(dataset))
        yield _make_ratio(next(matching, writers[-1]), number, name, parsed.value, raw, command=command)


def _read_bare_ratio(match: re.Match[str], number: int, command: _Command, writers: list[_Writer]) -> Iterator[Found]:
    """A ratio without its name, as `zfs get -o value` and `zfs list -o` with one property print it."""
    requested = _REQUESTED.findall(command.text)
    parsed = parse_number(match[1])
    if len(requested) == 1 and writers and parsed is not None:
        yield _make_ratio(writers[-1], number, requested[0], parsed.value, match[1], command=command)


def _make_ratio(writer: _Writer, number: int, name: str, value: float, raw: str, *, command: _Command) -> Value:
    """The ratio with that property name; it refers to its first appearance where it is repeated."""
    quantity = "dedupratio" if name.startswith("dedup") else "compressratio"
    ratio = _make_value(writer, number, _Quantity(quantity, name, value, "1", raw, "x"), command)
    if first := writer.shown.get((name, value)):
        ratio.same_as, ratio.depends = first[0], (*ratio.depends, *first)
    writer.shown.setdefault((name, value), (number, *ratio.depends))
    return ratio


def _read_typed_ratio(match: re.Match[str], number: int, writers: list[_Writer]) -> Iterator[Found]:
    """A ratio that a person typed, with the latest operation above it; its origin is `derived`."""
    raw = match["value"]
    parsed = parse_number(raw)
    if parsed is None or not 0 < parsed.value < 1e5:
        return
    if not writers:
        yield Doubt(number, "no-command", "no operation before this ratio wrote the data; not recorded")
        return
    quantity = "dedupratio" if match["dedup"] else "compressratio"
    value = _make_value(writers[-1], number, _Quantity(quantity, match["name"], parsed.value, "1", raw, "1"))
    value.origin, value.source_note = "derived", _COMPUTED
    if parsed.ambiguous:
        yield Doubt(number, "ambiguous", f"{raw} was read with a decimal separator")
    yield value


def _make_value(writer: _Writer, number: int, quantity: _Quantity, command: _Command | None = None, part: str = "") -> Value:
    """The measurement on a line. `command`: what printed it. `part`: what was measured, where it is not all data."""
    params: dict[str, str | int] = {"command": writer.text[:400]}
    depends = {writer.line}
    if command and command.text:
        params["shown_by"] = command.text[:200]
        depends.add(command.line)
    if part:
        params["of"] = part
    if writer.total is not None:
        params["total_size"] = writer.total[0]
        depends.add(writer.total[1])
    return Value(
        number,
        writer.tool,
        f"{writer.operation}.{quantity.name}",
        quantity.native,
        quantity.value,
        quantity.unit,
        raw=quantity.raw,
        raw_unit=quantity.raw_unit,
        run=writer.line,
        params=params,
        depends=tuple(sorted(depends - {number})),
    )


PARSER = Parser(brief=True, name="du", version=4, anchor=Anchor(ANCHOR, "du -|compress|kompression|dedup|de-dup"), parse=parse)
