"""fio 1.x to 3.x: normal, JSON, JSON+ and terse output, alone or mixed in one file.

Shapes of fio (name | versions | units | traps):
    normal output | 1.x to 3.x | 3.x KiB, MiB = 1024, k of IOPS = 1000; 1.x and 2.x KB, MB = 1024 | run status repeats the
        figure of a single job; a result picked out has the pattern of its command, or none
    JSON, JSON+ (--output-format=json) | 2.x, 3.x | bw KiB/s, bw_bytes B/s, *_ns nanoseconds, before 3.0 us
    terse (--minimal) | 2, 3, 4, 5 | KiB/s, microseconds, ms | does not show whether access is random; other separators are read
        too

Source: fio documentation, chapters Interpreting the output, Terse output, JSON output
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Sequence

from ingest.lazy_regex import lazy
from ingest.parsers.fio import _excerpts, _groups, _json, _terse, _text, _text_state
from ingest.parsers.fio._command import read_command_line
from ingest.parsers.fio._excerpts import mark_excerpts
from ingest.parsers.fio._groups import JobGroups, directions_of, find_starts
from ingest.parsers.fio._job import NUMBER, FioJob
from ingest.plugin_api import Anchor, CommandReader, Parser
from ingest.records import Doubt, Found, MissingValue, Value
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
_MEMBER = lazy(r'^[ \t]*"[^"\n]{1,200}"[ \t]*:', re.M)  # members of documents longer than the excerpts of a long log
# Keys that only fio has.
_FRAGMENT = lazy(r'"(?:bw_bytes|[cs]lat_ns|iops_stddev)"[^\S\n]*:[^\S\n]*[{\d]|"fio version"[^\S\n]*:[^\S\n]*"fio-\d')
_STATE_MESSAGE = "an interim report (--status-interval); the job's last report was recorded"


_Item = tuple[str, Found]  # with its format: json, terse or text


def parse(text: Text) -> Iterator[Found]:
    """Every figure of every fio job in the text, in line order. A run printed in several formats counts once."""
    documents: list[LocatedDocument] = []
    if '"fio version"' in text.body:
        documents += find_documents(text, "fio version", rows=("jobs", "client_stats"), counts="bins")
    states = set(_groups.find_superseded(documents))
    items = _outside_documents(text, documents)
    if not documents and (fragment := _FRAGMENT.search(text.body)):
        line = text.line_at(fragment.start())
        items.append(("json", Doubt(line, "cut", "a fragment of fio's JSON, not a whole document; nothing in it was recorded")))
    from_documents = itertools.chain.from_iterable(
        _read_document(document, index in states) for index, document in enumerate(documents)
    )
    if not items:  # as usual with documents: a long one is not held in memory
        return from_documents
    items = [*(("json", item) for item in from_documents), *items]
    items.sort(key=lambda pair: int(pair[1].line))
    if len({form for form, item in items if isinstance(item, Value)}) > 1:
        _mark_duplicates([(form, item) for form, item in items if isinstance(item, Value)])
    mark_excerpts([item for _, item in items if isinstance(item, Value)], text.lines)
    return (item for _, item in items)


def _read_document(document: LocatedDocument, is_state: bool) -> Iterator[Found]:
    """The values of a document, in line order, then its warnings; of a state of a running job one warning."""
    if is_state:
        yield Doubt(document.root.line, "progress", _STATE_MESSAGE)
        return
    doubts: list[Doubt] = []
    for items in _json.read_document(document):
        doubts += [item for item in items if isinstance(item, Doubt)]
        yield from sorted([item for item in items if not isinstance(item, Doubt)], key=_line)
    yield from sorted(doubts, key=_line)


def _line(item: Found) -> int:
    return int(item.line)


def _outside_documents(text: Text, documents: Sequence[LocatedDocument]) -> list[_Item]:
    """Values and warnings of the lines outside of JSON documents."""
    items: list[_Item] = []
    ranges = [(document.root.line, document.last) for document in documents]
    state = _text_state.FioTextState()
    wrapped: dict[int, tuple[int, ...]] = {}
    terse_jobs: list[tuple[Hashable, FioJob]] = []
    for joined in _excerpts.join_wrapped_lines(text.lines, ranges):
        number, line, starts = joined
        if starts:
            wrapped[number] = tuple(wrapped_line for _, wrapped_line in starts)
        if _terse.is_terse_line(line):
            items.extend(("terse", item) for item in _terse.read_line(line, number, state.options, state.command, terse_jobs))
            continue
        from_text = _text.read_line(state, line, number)
        items.extend(("text", item) for item in (_excerpts.locate_values(from_text, joined) if starts else from_text))
    state.note_unfinished()
    state.note_unreported()
    if state.unfinished_line:
        message = f"the run status after the job of line {state.unfinished_line} is missing"
        items.append(("text", Doubt(len(text.lines), "cut", message)))
    measured = {item.run for _, item in items if isinstance(item, Value | MissingValue)}
    for job in state.failed_jobs:
        items.extend(("text", missing) for missing in job.without_results(job.line) if job.run not in measured)
    items = _without_superseded(items, state.superseded)
    _set_starts(state.report_jobs, [item for _, item in items if isinstance(item, Value | MissingValue)])
    if len(state.report_jobs) > 1:
        jobs = [(key, job) for key, job in state.report_jobs if job.line not in state.superseded]
        items += [("text", total) for total in _split_groups(jobs, items, state.totalled)]
    if len(terse_jobs) > 1:
        items += [("terse", total) for total in _split_groups(_terse.split_runs(terse_jobs), items)]
    for _, item in items if wrapped else ():
        if isinstance(item, Value):
            item.depends = (*item.depends, *(part for line in item.depends for part in wrapped.get(line, ())))
    return items


def _set_starts(jobs: Sequence[tuple[tuple[int, str], FioJob]], figures: Sequence[Value | MissingValue]) -> None:
    """Have the jobs of reports, and their figures, bear the time at which they started instead of the printed one of the report."""
    seconds: dict[object, float] = {}
    for figure in figures:
        seconds[figure.run] = max(seconds.get(figure.run, 0.0), figure.params.get("runtime", 0.0))
    starts: dict[object, str | None] = {}  # by run, and by printed time for the sum over servers
    for _, of_report in itertools.groupby(jobs, key=lambda job: job[0][0]):
        report, groups = list(of_report), dict[Hashable, float]()
        for (_, group), job in report:
            groups[group] = max(groups.get(group, 0.0), seconds.get(job.run, 0.0))
        ended = report[-1][1].started
        of_groups = find_starts(ended, groups)
        for (_, group), job in report:
            job.started = starts[job.run] = of_groups.get(group, job.started)
        starts[ended] = min(of_groups.values(), default=ended)
    for figure in figures:
        figure.started_at = starts.get(figure.run) or starts.get(figure.started_at) or figure.started_at


def _split_groups(
    jobs: Sequence[tuple[Hashable, FioJob]], items: Sequence[_Item], totalled: Collection[Hashable] = ()
) -> list[Found]:
    """Make the items of jobs that ran at once parts of their groups; the computed totals."""
    by_run: dict[object, list[Found]] = {}
    for _, item in items:
        if not isinstance(item, Doubt):
            by_run.setdefault(item.run, []).append(item)
    counts = Counter((group, way) for group, job in jobs for way in directions_of(by_run.get(job.run, ())))
    lines: dict[Hashable, list[int]] = {}
    for group, job in jobs:
        lines.setdefault(group, []).extend({*job.depends, *(int(item.line) for item in by_run.get(job.run, ()))})
    groups, totals = JobGroups(counts, totalled, lines), list[Found]()
    for group, job in jobs:
        own = by_run.get(job.run, [])
        totals += groups.take(group, job, own)[len(own) :]
    return totals


def _without_superseded(items: list[_Item], job_lines: list[int]) -> list[_Item]:
    """The items without states of a running job (--status-interval), which its last report contains."""
    if not job_lines:
        return items
    superseded = set(job_lines)
    kept = [
        (form, item)
        for form, item in items
        if not (form == "text" and not isinstance(item, Doubt) and isinstance(item.run, tuple) and item.run[0] in superseded)
    ]
    states: list[_Item] = [("text", Doubt(line, "progress", _STATE_MESSAGE)) for line in job_lines]
    return kept + states


def _mark_duplicates(values: list[tuple[str, Value]]) -> None:
    """Mark the same figure of the same job in another format of the same file as a duplicate."""
    originals: dict[tuple[object, ...], list[tuple[str, Value, set[str]]]] = {}  # with the formats of their duplicates
    for form, value in values:
        if value.same_as is not None:
            continue
        metric = value.metric.removeprefix("random_")  # terse output alone lacks the pattern
        key = (value.params["job"], metric, value.stat, value.params.get("part"), value.tool_version)
        for other_form, other, forms in originals.setdefault(key, []):
            if form not in forms and form != other_form and _agree(value, other):
                value.same_as = other.line
                value.depends = (*value.depends, int(other.line), *other.depends)
                forms.add(form)
                break
        else:
            originals[key].append((form, value, set()))


def _agree(value: Value, other: Value) -> bool:
    """Whether two figures are equal within half a unit of the last digit that either prints."""
    return abs(value.value - other.value) <= _tolerance(value) + _tolerance(other) + 1e-12


def _tolerance(value: Value) -> float:
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
    version=31,
    commands=CommandReader("fio", ("fio",), read_command_line, ("--output",)),
    anchor=Anchor(
        ANCHOR,
        'fio version|(groupid=|(g=|run status group|fio-0|;0|iops=0|io=|bw=0|min=|"bw_bytes"|"clat_ns"|"slat_ns"|"iops_stddev"',
    ),
    parse=parse,
    brief=True,
    follows=_MEMBER,
)
