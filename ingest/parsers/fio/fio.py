"""fio 1.x to 3.x: normal, JSON, JSON+ and terse output, alone or mixed in one file."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from ingest.lazy_regex import lazy
from ingest.parsers.fio import _json, _mail_wrapped, _status_intervals, _terse, _text, _text_state
from ingest.parsers.fio._job import NUMBER
from ingest.parsers.fio._partial_text import mark_excerpts
from ingest.plugin_api import Anchor, Parser, Shape
from ingest.records import Doubt, Value
from ingest.text.line_wrap import WideLine
from ingest.text.lines import Text
from ingest.text.located_json import LocatedDocument, find_documents

ANCHOR = lazy(
    r'"fio version"|\(groupid=\d+, jobs=\d+\): err=|\(g=\d+\): rw=|Run status group \d+ \(all jobs\)|'
    r'(?<![\w;.])"?\d"?[;,\t|]"?fio-\d|'
    r"^[ \t>|#+]*\d;(?:\d\.[\d.]+;)?[^;\n]{1,200};\d+;\d+;(?:\d+;){4}\d|"
    r"(?:read|write|trim) ?:[ \t]{1,4}(?:IOPS=\d|io=[^\S\n]*\d[^\n]{1,20}bw=[^\S\n]*\d)|"
    r"(?:READ|WRITE): (?:bw=\d[^\n]{3,20}\(|io=[^\S\n]*\d[^\n]{1,20}aggrb=)|"
    r"^[ \t>|#+]*(?:iops|clat \([num]?sec\)) *: min= *\d|\"(?:bw_bytes|clat_ns|slat_ns|iops_stddev)\"[^\S\n]*:",
    re.M,
)
_MEMBER = lazy(r'^[ \t]*"[^"\n]{1,200}"[ \t]*:', re.M)  # documents may be longer than what is kept of a long log
# fio's alone
_FRAGMENT = lazy(r'"(?:bw_bytes|[cs]lat_ns|iops_stddev)"[^\S\n]*:[^\S\n]*[{\d]|"fio version"[^\S\n]*:[^\S\n]*"fio-\d')
_STATE = "a state of the running job (--status-interval); its last report was taken"


def parse(text: Text) -> Iterator[Value | Doubt]:
    """Every figure of every fio job in the text, in line order. A run printed in several formats counts once."""
    shown: list[LocatedDocument] = []
    if '"fio version"' in text.body:
        shown += find_documents(text, "fio version", rows=("jobs", "client_stats"), counts="bins")
    states = set(_status_intervals.find_superseded(shown))
    lines = _of_lines(text, shown)
    if not shown and (part := _FRAGMENT.search(text.body)):
        at = text.line_at(part.start())
        lines.append(("json", Doubt(at, "cut", "a part of fio's JSON, not a whole document; nothing of it was taken")))
    if not lines:  # as nearly always where documents are; a long one is not held as a whole
        return itertools.chain.from_iterable(_shown(document, at in states) for at, document in enumerate(shown))
    found = [("json", item) for at, document in enumerate(shown) for item in _shown(document, at in states)] + lines
    found.sort(key=lambda pair: int(pair[1].line))
    if len({form for form, item in found if isinstance(item, Value)}) > 1:
        _mark_duplicates([(form, item) for form, item in found if isinstance(item, Value)])
    mark_excerpts([item for _, item in found if isinstance(item, Value)], text.lines)
    return (item for _, item in found)


def _shown(document: LocatedDocument, is_state: bool) -> Iterator[Value | Doubt]:
    """What a document tells, in line order."""
    if is_state:
        yield Doubt(document.root.line, "progress", _STATE)
        return
    doubts: list[Doubt] = []
    for items in _json.read_document(document):
        doubts += [item for item in items if isinstance(item, Doubt)]
        yield from sorted([item for item in items if isinstance(item, Value)], key=_line)
    yield from sorted(doubts, key=_line)


def _line(item: Value | Doubt) -> int:
    return int(item.line)


def _of_lines(text: Text, documents: Sequence[LocatedDocument]) -> list[tuple[str, Value | Doubt]]:
    """What stands outside of the documents, each with its form."""
    found: list[tuple[str, Value | Doubt]] = []
    inside = [(document.root.line, document.last) for document in documents]
    state = _text_state.FioTextState()
    wrapped: dict[int, tuple[int, ...]] = {}
    for whole in _mail_wrapped.join_wrapped_lines(text.lines, inside):
        number, line, broken = whole
        if broken:
            wrapped[number] = tuple(at for _, at in broken)
        if _terse.is_terse_line(line):
            found.extend(("terse", item) for item in _terse.read_line(line, number, state.jobs, state.command))
            continue
        items = _text.read_line(state, line, number)
        found.extend(("text", item) for item in (_mail_wrapped.locate_values(items, whole) if broken else items))
    if state.open:
        found.append(("text", Doubt(len(text.lines), "cut", f"the run status after the job of line {state.open} is missing")))
    found = _without_states(found, state.superseded)
    for _, item in found if wrapped else ():
        if isinstance(item, Value):
            item.depends = (*item.depends, *(at for line in item.depends for at in wrapped.get(line, ())))
    return found


def _without_states(found: list[tuple[str, Value | Doubt]], lines: list[int]) -> list[tuple[str, Value | Doubt]]:
    """Without the states of a running job (--status-interval), which its last report holds."""
    if not lines:
        return found
    old = set(lines)
    kept = [
        (form, item)
        for form, item in found
        if not (form == "text" and isinstance(item, Value) and isinstance(item.run, tuple) and item.run[0] in old)
    ]
    return kept + [("text", Doubt(line, "progress", _STATE)) for line in lines]


def _mark_duplicates(values: list[tuple[str, Value]]) -> None:
    """The same figure of the same job in another format of the same file is the same measurement."""
    first: dict[tuple[object, ...], list[tuple[str, Value, set[str]]]] = {}
    for form, value in values:
        if value.same_as is not None:
            continue
        metric = value.metric.removeprefix("random_")  # terse output alone does not tell the pattern
        key = (value.params["job"], metric, value.stat, value.params.get("part"), value.tool_version)
        for other_form, other, seen in first.setdefault(key, []):
            if form not in seen and form != other_form and _agree(value, other):
                value.same_as = other.line
                value.depends = (*value.depends, int(other.line), *other.depends)
                seen.add(form)
                break
        else:
            first[key].append((form, value, set()))


def _agree(one: Value, other: Value) -> bool:
    """Whether two figures are equal within half a unit of the last digit that either prints."""
    return abs(one.value - other.value) <= _half(one) + _half(other) + 1e-12


def _half(value: Value) -> float:
    digits = value.raw.rstrip("kKMG")
    if not NUMBER.match(digits) or float(digits) == 0:
        return value.value * 0.01
    places = len(digits.partition(".")[2])
    return 1.0 * 10.0**-places * value.value / float(digits) if "." in digits or len(digits) > 3 else value.value / float(digits)


# Lines wider than many terminals.
_WIDE = (
    WideLine(lazy(r"\s*\S.*: \(g=\d+\): rw="), lazy(r"\s*\S.*: \(g=\d+\): rw=\w+, .*ioengine=\w+, iodepth=\d+\s*")),
    WideLine(lazy(r"\s*(?:READ|WRITE): (?:bw|io)="), lazy(r"\s*(?:READ|WRITE): (?:bw|io)=.*, (?:run|maxt)=\d+(?:-\d+)?m?sec\s*")),
)

PARSER = Parser(
    wide=_WIDE,
    name="fio",
    version=19,
    anchor=Anchor(
        ANCHOR,
        "fio version",
        "(groupid=",
        "(g=",
        "run status group",
        "fio-0",
        ";0",
        "iops=0",
        "io=",
        "bw=0",
        "min=",
        '"bw_bytes"',
        '"clat_ns"',
        '"slat_ns"',
        '"iops_stddev"',
    ),
    parse=parse,
    shapes=(
        Shape(
            "normal output",
            "1.x to 3.x",
            "3.x KiB, MiB = 1024, k of IOPS = 1000; 1.x and 2.x KB, MB = 1024",
            "run status repeats the figure of a single job; a result picked out has the pattern of its command, or none",
        ),
        Shape(
            "JSON, JSON+ (--output-format=json)",
            "2.x, 3.x",
            "bw KiB/s, bw_bytes B/s, *_ns nanoseconds, before 3.0 us",
            "",
        ),
        Shape(
            "terse (--minimal)",
            "2, 3, 4, 5",
            "KiB/s, microseconds, ms",
            "does not tell whether access is random; read with other separators as well",
        ),
    ),
    brief=True,
    follows=_MEMBER,
    source="fio documentation, chapters Interpreting the output, Terse output, JSON output",
)
