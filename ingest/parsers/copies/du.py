"""What a copy takes on disk: `du -s` beside it, ratios that `zfs get` and `zpool get` show, or people wrote.

A size or ratio belongs to the operation that wrote the data: the nearest command before it that wrote there.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ingest import units
from ingest.lazy_regex import lazy
from ingest.numbers import parse_number
from ingest.parsers.copies._timing_command import TIMER, parse_timed_command
from ingest.plugin_api import Anchor, Parser, Shape
from ingest.records import Doubt, Value
from ingest.text.lines import Text

_NUM = r"\d{1,15}(?:[.,]\d{1,4})?"
_DU = lazy(rf"^\s*({_NUM})([KMGTPkmg]?(?:i?B)?)[ \t]+((?:/|\./?|~)[^\n]{{0,200}}|\w[\w./-]{{0,200}})\s*\Z")
_BARE = lazy(rf"^\s*({_NUM})([KMGTP](?:i?B)?)\s*\Z")  # a page that printed the listing lost the path
_RATIO = lazy(rf"(?:^|\s)(compressratio|refcompressratio|dedupratio)\s+({_NUM})x(?:\s|\Z)")
_MEANT: dict[float, str] = {1: "B", units.K: "KiB", units.M: "MiB", units.G: "GiB"}
_ALONE = lazy(rf"^\s*({_NUM})x\s*\Z")
_ASKED = lazy(r"\b(?:zfs|zpool) (?:get|list)\b[^|;&\n]{0,100}?\b(compressratio|refcompressratio|dedupratio|dedup)\b")
_WRITTEN = lazy(
    r"^[\s>|*#-]{0,16}(?P<name>(?:Kompression(?:s?(?:rate|faktor|ratio|grad|verh\u00e4ltnis))?|"
    r"compress(?:ion)?[ -]?(?:ratio|factor|rate)|"
    r"(?P<dedup>(?:De-?[Dd]uplikation|[Dd]eduplication|[Dd]edup)"
    r"(?:s?[ -]?(?:rate|faktor|ratio|factor))?)))\s{0,8}[:=]\s{0,8}"
    rf"(?P<value>{_NUM})\s?(?:x|:\s?1)?\s*\Z",
    re.I,
)
ANCHOR = lazy(r"\bdu -\w*|compressratio|dedupratio|Kompression|[Dd]e-?[Dd]up|compress(?:ion)?[ -]?(?:ratio|factor|rate)", re.I)
_SHOWN = lazy(
    r"(?:^|[$#%>]\s{1,3}|^[\s>+]{0,12})(?=(?:sudo\s+)?(?:(?:\\|/usr/bin/)?time\s+(?:-\w\s+)?)?(?:du|cp|rsync|tar|dd|zfs|zpool)\s+\S)"
)
_RSYNC = lazy(r"\bsent \d[\d,.]*[kKMGTP]?B? bytes\s+received ")
_TOTAL = lazy(r"^total size is (\d[\d,]{0,20})\s")
_HEADING = lazy(r"^\s{0,3}(?:#{3,}|={3,}|-{5,})")
_WRITERS = {"copy", "extract", "archive"}
_COMPUTED = "computed by the person who wrote it"


@dataclass(slots=True)
class _Writer:
    """An operation that wrote data: `line` of its command or summary, `total` the bytes that rsync's summary tells, and where.

    `shown`: name and value of a ratio -> where it stands, and the lines that it depends on.
    """

    line: int
    tool: str
    operation: str
    text: str
    total: tuple[int, int] | None = None
    shown: dict[tuple[str, float], tuple[int, ...]] = field(default_factory=dict)

    def wrote(self, path: str) -> bool:
        """Whether its target is the path, lies under it or holds it; true where the command does not tell."""
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
            return next((b for a, b in itertools.pairwise(words) if a == "-C"), None)
        return words[-1] if words and not words[-1].startswith("-") else None


class _Command(NamedTuple):
    """The latest command, and its line."""

    line: int
    text: str


def parse(text: Text) -> Iterator[Value | Doubt]:
    """Sizes and ratios with the operation that wrote the data."""
    shown = _commands(text)
    writers: list[_Writer] = []
    command = _Command(0, "")
    for at, line in enumerate(map(str.rstrip, text.lines), 1):
        if at in shown:
            command = _Command(at, shown[at])
            if writer := _writer(shown[at], at):
                writers = [*writers[-7:], writer]
            continue
        if _HEADING.match(line):
            writers, command = [], _Command(at, "")
        elif "sent " in line and _RSYNC.search(line) and not (writers and writers[-1].tool == "rsync" and "rsync" in command.text):
            writers = [*writers[-7:], _Writer(at, "rsync", "copy", "")]
        if writers and writers[-1].tool == "rsync" and (found := _TOTAL.match(line)):
            writers[-1].total = int(found[1].replace(",", "")), at
        elif found := _WRITTEN.match(line):
            yield from _written(found, at, writers)
        elif "ratio" in line and (found := _RATIO.search(line)):
            yield from _ratio(found, at, command, writers)
        elif line.endswith("x") and (found := _ALONE.match(line)):
            yield from _alone(found, at, command, writers)
        elif re.search(r"\bdu\s+-", command.text) and (found := _DU.match(line)):
            yield from _size((found[1], found[2], found[3]), at, command, writers)
        elif re.match(r"du\s+-", command.text) and (found := _BARE.match(line)):
            yield from _size((found[1], found[2], ""), at, command, writers)


def _commands(text: Text) -> dict[int, str]:
    if text.commands:
        return {command.line: command.text for command in text.commands}
    found = {}
    for at, line in enumerate(text.lines, 1):
        if m := _SHOWN.search(line[:300]):
            found[at] = line[m.end() :].strip()
    return found


def _writer(command: str, line: int) -> _Writer | None:
    what = parse_timed_command(command, line)
    if what is None:
        return None
    if what.tool == "dd" and what.params.get("operation") == "write":
        return _Writer(line, "dd", "write", command)
    return _Writer(line, what.tool, what.operation, TIMER.sub("", command)) if what.operation in _WRITERS else None


def _size(printed: tuple[str, str, str], at: int, command: _Command, writers: list[_Writer]) -> Iterator[Value | Doubt]:
    raw, suffix, path = printed
    writer = next((w for w in reversed(writers) if w.wrote(path)), None)
    if writer is None:
        return
    factor = _unit(command.text, suffix)
    read = parse_number(raw)
    if read is None or factor is None:
        yield Doubt(at, "unknown-unit", "du printed blocks whose size depends on the system; use -k, -B or -h. Not taken")
        return
    meant = suffix or _MEANT.get(factor, f"{factor:g} B")
    of = f"du of {path}" if path else "du"
    yield _value(writer, at, "size", "du", read.value * factor, "B", raw + suffix, meant, of, command)


def _unit(command: str, suffix: str) -> float | None:
    """Bytes of one unit that du printed: a suffix tells it, else the options."""
    if suffix:
        decimal = " --si" in command
        table = {
            **units.DU,
            **({"K": units.KB, "k": units.KB, "M": units.MB, "G": units.GB, "T": units.TB} if decimal else {}),
        }
        return table.get(suffix)
    options = "".join(re.findall(r"\s-([A-Za-z]+)", command))
    if "-B1 " in command + " " or "b" in options or "--bytes" in command:
        return 1
    for letter, factor in (("k", units.K), ("m", units.M), ("g", units.G)):
        if letter in options:
            return factor
    size = re.search(r"(?:-B\s*|--block-size=)(\d*)([KMG]?B?)(?:\s|\Z)", command)
    return int(size[1] or 1) * units.DU[size[2]] if size and size[2] in units.DU and (size[1] or size[2]) else None


def _ratio(found: re.Match[str], at: int, command: _Command, writers: list[_Writer]) -> Iterator[Value | Doubt]:
    """A ratio that was asked for by name after a copy; those inside `get all` are properties, not results."""
    name, raw, row = found[1], found[2], found.string[max(0, found.start() - 300) : found.start()].split()
    read = parse_number(raw)
    if name in command.text and writers and read is not None:
        place = f"/{row[-1]}/" if row else ""
        there = (one for one in reversed(writers) if place and f"{one.target or ''}/".startswith(place))
        yield _shown_ratio(next(there, writers[-1]), at, name, read.value, raw, command)


def _alone(found: re.Match[str], at: int, command: _Command, writers: list[_Writer]) -> Iterator[Value | Doubt]:
    """A ratio without its name, as `zfs get -o value` and `zfs list -o` with one property print it."""
    asked = _ASKED.findall(command.text)
    read = parse_number(found[1])
    if len(asked) == 1 and writers and read is not None:
        yield _shown_ratio(writers[-1], at, asked[0], read.value, found[1], command)


def _shown_ratio(writer: _Writer, at: int, name: str, value: float, raw: str, command: _Command) -> Value:
    quantity = "dedupratio" if name.startswith("dedup") else "compressratio"
    out = _value(writer, at, quantity, name, value, "1", raw, "x", "", command)
    if first := writer.shown.get((name, value)):
        out.same_as, out.depends = first[0], (*out.depends, *first)
    writer.shown.setdefault((name, value), (at, *out.depends))
    return out


def _written(found: re.Match[str], at: int, writers: list[_Writer]) -> Iterator[Value | Doubt]:
    read = parse_number(found["value"])
    if read is None or not 0 < read.value < 1e5:
        return
    if not writers:
        yield Doubt(at, "no-command", "a ratio without the operation before it that wrote the data; not taken")
        return
    value = _value(
        writers[-1],
        at,
        "dedupratio" if found["dedup"] else "compressratio",
        found["name"],
        read.value,
        "1",
        found["value"],
        "1",
        "",
        None,
    )
    value.origin, value.source_note = "derived", _COMPUTED
    if read.ambiguous:
        yield Doubt(at, "ambiguous", f"{found['value']} was read with a decimal separator")
    yield value


def _value(
    writer: _Writer,
    at: int,
    quantity: str,
    native: str,
    value: float,
    unit: str,
    raw: str,
    raw_unit: str,
    part: str,
    command: _Command | None,
) -> Value:
    params: dict[str, str | int] = {"command": writer.text[:400]}
    told = {writer.line}
    if command and command.text:
        params["shown_by"] = command.text[:200]
        told.add(command.line)
    if part:
        params["of"] = part
    if writer.total is not None:
        params["total_size"] = writer.total[0]
        told.add(writer.total[1])
    return Value(
        at,
        writer.tool,
        f"{writer.operation}.{quantity}",
        native,
        value,
        unit,
        raw,
        raw_unit,
        writer.line,
        params=params,
        depends=tuple(sorted(told - {at})),
    )


PARSER = Parser(
    brief=True,
    name="du",
    version=4,
    anchor=Anchor(ANCHOR, "du -", "compress", "kompression", "dedup", "de-dup"),
    parse=parse,
    shapes=(
        Shape("du -s beside a copy", "GNU, BSD", "K, M, G = powers of 1024", "blocks without unit are not taken"),
        Shape("zfs get compressratio, zpool get dedupratio", "all", "ratio", "only where asked for by name, after a copy"),
        Shape("Kompression: 1,54", "typed by people", "ratio", "origin is derived"),
    ),
    source="GNU du manual, du.1 of FreeBSD, zfsprops.7, zpoolprops.7",
)
