"""Selects the parsers and readers for a file, and collects their results."""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import chain, repeat
from typing import Any, TypeVarTuple

from ingest.detect.failed_runs import mark_failed_runs
from ingest.detect.findings import FileFindings
from ingest.detect.handmade_tables import find_handmade_tables
from ingest.detect.handmade_values import read_taken
from ingest.detect.prefilter import Prefilter
from ingest.detect.quotations import drop_quotations
from ingest.detect.script_commands import find_script
from ingest.detect.series import SeriesFeed, series_readers
from ingest.detect.sweep_scripts import find_sweeps
from ingest.lazy_regex import compile_all, lazy
from ingest.parsers import results_table
from ingest.plugin_api import CommandReader, Parser, Reader, SeriesReader, find_plugins
from ingest.records import LOST, Clue, Doubt, Found, FoundSeries, Member, MissingValue, Value
from ingest.spill import CHUNK_SIZE, SpilledValues
from ingest.text import line_wrap
from ingest.text.decode import drop_damaged_values, read_text
from ingest.text.line_wrap import WideLine
from ingest.text.lines import Text
from ingest.text.mentions import MentionFilter, without_remains
from ingest.transcript import hosts

MAX_VALUE = 1e30  # above any quantity of a storage system in any unit; its square is still a float
# A command in a log without a prompt: output far below it may belong to it.
_COMMAND = lazy(r"^[^\w\n]{0,8}(?:(?:sudo|doas|pfexec|run0)[ \t]+)?(?:time|dd|rsync|cp|mv|tar|rm|find)[ \t]+[^\s:]", re.M)


_Arguments = TypeVarTuple("_Arguments")


@cache
def parsers() -> tuple[Parser, ...]:
    """The parsers of ingest.parsers, by name."""
    return find_plugins("ingest.parsers", Parser)


@cache
def command_readers() -> Mapping[str, CommandReader]:
    """Tool -> what reads its command lines."""
    return {parser.commands.tool: parser.commands for parser in parsers() if parser.commands}


@cache
def _programs() -> Mapping[str, str]:
    """Name of a program -> its tool."""
    return {program: reader.tool for reader in command_readers().values() for program in reader.programs}


@cache
def readers() -> tuple[Reader, ...]:
    """The readers of ingest.context, by name."""
    return tuple(sorted(find_plugins("ingest.context", Reader), key=lambda reader: reader.name))


def versions() -> dict[str, int]:
    """Name -> version of every parser and reader, as `FileReport` gives them."""
    plugins: tuple[Parser | Reader | SeriesReader, ...] = (*readers(), *series_readers(), *parsers())
    return {plugin.name: plugin.version for plugin in plugins}


@cache
def _prefilter() -> tuple[tuple[Parser | Reader | SeriesReader, ...], Prefilter]:
    """(all parsers and readers of text, parsers first; the prefilter of their anchors)."""
    plugins: tuple[Parser | Reader | SeriesReader, ...] = (
        *(parser for parser in parsers() if parser.parse and parser.anchor),
        *(reader for reader in readers() if reader.read),
        *series_readers(),
    )
    return plugins, Prefilter([plugin.anchor for plugin in plugins])


def _matching_plugins(text: Text) -> tuple[list[Parser | Reader], list[SeriesReader]]:
    """The parsers and readers whose anchor matches the text, and the readers of series."""
    plugins, prefilter = _prefilter()
    matching: list[Parser | Reader] = []
    of_series: list[SeriesReader] = []
    for index in prefilter.matching(text):
        plugin = plugins[index]
        if isinstance(plugin, SeriesReader):
            of_series.append(plugin)
        else:
            matching.append(plugin)
    return matching, of_series


@cache
def _wide_lines() -> tuple[WideLine, ...]:
    """The lines by which parsers detect a text that a terminal wrapped."""
    return tuple(wide for parser in parsers() for wide in parser.wide)


def load_parsers() -> None:
    """Load every parser and reader and compile their patterns now, instead of for the first file."""
    _prefilter(), _wide_lines(), compile_all()


def is_binary_format(data: bytes) -> bool:
    """Whether the bytes begin with the magic number of a parser of binary files."""
    return data.startswith(_magics())


@cache
def _magics() -> tuple[bytes, ...]:
    return tuple(magic for parser in parsers() if parser.parse_bytes is not None for magic in parser.magic)


class NoiseDetector:
    """Whether parts of a long file are noise, for `containers.skip_noise`; None once a parser that is not `brief` has matched.

    Numbers over time are read here, part by part: what their readers own need not be kept for `collect_findings`.
    """

    def __init__(self, name: str = "") -> None:
        self.series: SeriesFeed | None = None
        """The series of the file; None where it has none or not every part was seen."""
        self._name = name.rpartition("/")[2]
        self._lines = 0
        self._has_begun = self._is_lost = False
        self._matched_tools: set[str] = set()

    def __call__(self, part: bytes) -> bool | None:
        """Called with the parts in order, the beginning of the file first. None if memory runs out."""
        with suppress(MemoryError):
            return self._is_noise(part)
        self.give_up()
        return None

    def finish(self, rest: bytes) -> None:
        """Take what is left of the file behind the last part; it is kept in any case."""
        if self.series is None:
            return
        with suppress(MemoryError):
            text, _ = read_text("", rest)
            if text is not None:
                self.series.add_text(text)
                return
        self.give_up()

    def give_up(self) -> None:
        """Not every part was seen, so the series are left to `collect_findings`."""
        self.series, self._is_lost = None, True

    def _owned_by_series(self, text: Text, of_series: list[SeriesReader]) -> bool:
        """Whether readers of series own every line of the part, and no parser needs one."""
        if of_series and not self._is_lost:
            self.series = self.series or SeriesFeed(self._name, self._lines)
            self.series.add_readers(of_series)
        strangers = self.series.add_text(text) if self.series else 1
        self._lines += len(text.lines) - 1
        return not strangers and self.series is not None and not self.series.is_also_parsed

    def _is_noise(self, part: bytes) -> bool | None:
        is_first, self._has_begun = not self._has_begun, True
        if is_first and (is_binary_format(part) or b"\0" in part[:1000]):
            return None
        text, doubts = read_text("", part)
        if text is None:
            self.give_up()
            return None
        matching, of_series = _matching_plugins(text)
        matching_parsers = [plugin for plugin in matching if isinstance(plugin, Parser)]
        if not all(plugin.brief for plugin in matching_parsers):
            self.give_up()
            return None
        self._matched_tools.update([plugin.name for plugin in matching_parsers])
        if self._owned_by_series(text, of_series):
            return True
        return not (
            doubts
            or matching_parsers
            or text.commands
            or _COMMAND.search(text.body)
            or any(map(_may_find, matching, repeat(text)))
            or self._follows(text)
        )

    def _follows(self, text: Text) -> bool:
        """Whether it has lines that a tool may have printed whose output began before."""
        return any(
            parser.name in self._matched_tools and parser.follows is not None and parser.follows.search(text.body)
            for parser in parsers()
        )


def _may_find(plugin: Parser | Reader, text: Text) -> bool:
    """Whether it may find something. A reader whose anchor matches almost every text is run to decide."""
    if isinstance(plugin, Parser) or plugin.read is None or not (plugin.common or plugin.anchor is None):
        return True
    return any(True for _ in plugin.read(text))


def collect_findings(findings: FileFindings, text: Text | None, data: bytes, series: SeriesFeed | None = None) -> None:
    """Run all parsers and readers for the file; `data`: the bytes, for parsers of binary files. `series`: of a long file, whose
    lines were read while it was unpacked.
    """
    if text is not None:
        findings.joined = line_wrap.join_wrapped_lines(text, _wide_lines(), findings.doubts)
        findings.origins = text.origins
    if text is not None and (text.hosts or LOST in text.body):
        findings.spill = None  # the values are filtered when all are known
    for parser in parsers() if is_binary_format(data) else ():
        if parser.parse_bytes is not None and data.startswith(parser.magic):
            _run_plugin(findings, parser, parser.parse_bytes, findings.path, data)
    if text is not None and not text.hosts:
        _read_text(findings, text, series)
    elif text is not None:
        _read_by_host(findings, text)
    _add_handmade_tables(findings, text)
    drop_quotations(findings, text)
    if text is not None and LOST in text.body:
        findings.gathered, damage_doubts = drop_damaged_values(findings.gathered, text.lines)
        findings.doubts += damage_doubts
        findings.missing, damage_doubts = drop_damaged_values(findings.missing, text.lines)
        findings.doubts += damage_doubts
    _drop_double_claims(findings)
    mark_failed_runs(findings.values, text)
    if (
        text is not None
        and (findings.clues or len(findings.values) > 1)
        and (text.sections or (findings.clues and findings.values))
    ):
        findings.sections = text.sections
    findings.sweeps = find_sweeps(text) if text is not None and not findings.values else ()
    findings.script = find_script(text, _programs()) if text is not None else None


def _add_handmade_tables(findings: FileFindings, text: Text | None) -> None:
    """Warn of tables typed by hand, or printed by a script around a tool, in the lines that no parser read."""
    for table in find_handmade_tables(text, partial(_lines_read, findings)) if text is not None else ():
        meaning = findings.taken_at(table.line)
        if isinstance(meaning, Mapping):
            _run_plugin(findings, results_table.PARSER, read_taken, table, meaning)
        else:
            findings.doubts.append(table.doubt())
            findings.tables = (*findings.tables, table)


_NEAR = 25  # lines between two values of a run, whose output they are


def _lines_read(findings: FileFindings) -> set[int | str]:
    """The lines that parsers read or warn of, and those between the values of a run."""
    lines = {doubt.line for doubt in findings.doubts} | {clue.line for clue in findings.clues if clue.kind == "dump"}
    last = dict[tuple[str, Any], int]()
    before: tuple[object, ...] = ()
    for item in chain[Value | MissingValue](findings.spilled or (), findings.gathered, findings.missing):
        depends = item.depends if isinstance(item, Value) else ()
        if before == (before := (item.line, item.tool, item.run, depends)):
            continue  # of the same row
        own = (item.line, *depends)
        lines.update(own)
        numbers = sorted([line for line in own if isinstance(line, int)])
        if not numbers:
            continue
        end = last.get((item.tool, item.run), numbers[0])
        for line in numbers:
            if end < line:
                lines.update(range(end, line) if line - end <= _NEAR else ())
                end = line
        last[item.tool, item.run] = end
    for series in findings.series:
        lines.update(line for points in series.points.chunks() for line in points.lines)
    return lines


def _read_text(findings: FileFindings, text: Text, series: SeriesFeed | None = None) -> None:
    """Run the matching parsers and readers; only the owner of the file name if there is one."""
    name = text.name.lower()
    matching, of_series = _matching_plugins(text)
    owner = next((plugin for plugin in matching if isinstance(plugin, Reader) and plugin.alone and plugin.name == name), None)
    mentions = MentionFilter(text)
    for plugin in (owner,) if owner else matching:
        if isinstance(plugin, Parser):
            if plugin.parse is not None:
                _run_plugin(findings, plugin, plugin.parse, text)
        elif plugin.read is not None:
            # Parsers have run.
            mentions.results = findings.gathered if findings.gathered or findings.spilled or findings.missing else None
            read = plugin.clues if plugin is owner else partial(mentions.read, plugin.clues)
            _run_plugin(findings, plugin, read, text)
    if owner is None and (series or of_series):
        _read_series(findings, text, series, of_series)


def _read_series(findings: FileFindings, text: Text, series: SeriesFeed | None, matching: list[SeriesReader]) -> None:
    """Add the series of a text: those that were read before, or those of its lines as they were, or without prefixes."""
    is_read = series is not None
    if series is None:
        series = SeriesFeed(text.name)
        series.add_readers(matching)
        if not series.has_readers:
            return
        series.add_text(text)
        text.path_used = text.path_used or any(reader.names for reader in matching)
    for reader, lines in series.finish():
        _run_plugin(findings, reader, lines.finish)
    findings.doubts += series.failures.values()
    if not is_read and not findings.series and text.unstripped is not text.lines:
        text.unstripped = text.lines
        findings.doubts = [doubt for doubt in findings.doubts if doubt not in series.failures.values()]
        _read_series(findings, text, None, matching)


def _read_by_host(findings: FileFindings, text: Text) -> None:
    """Read a text whose lines have host prefixes host by host; results of lines that several texts share are taken once."""
    for host_text, ignored_lines in hosts.split_by_host(text):
        host_findings = FileFindings(findings.path, findings.sha256, findings.size)
        _read_text(host_findings, host_text)
        findings.gathered += [value for value in host_findings.gathered if value.line not in ignored_lines]
        findings.missing += [value for value in host_findings.missing if value.line not in ignored_lines]
        findings.clues += [clue for clue in host_findings.clues if clue.line not in ignored_lines]
        findings.doubts += [doubt for doubt in host_findings.doubts if doubt.line not in ignored_lines]
        findings.series += host_findings.series
        findings.members += [member for member in host_findings.members if member.line not in ignored_lines]
        findings.series_readers += [one for one in host_findings.series_readers if one not in findings.series_readers]
        findings.parsers += [parser for parser in host_findings.parsers if parser not in findings.parsers]
        findings.readers += [reader for reader in host_findings.readers if reader not in findings.readers]
    findings.clues += hosts.find_host_changes(text, [*findings.gathered, *findings.missing, *findings.clues])


def _run_plugin(
    findings: FileFindings,
    plugin: Parser | Reader | SeriesReader,
    call: Callable[[*_Arguments], Iterable[Found | Clue | FoundSeries | Member]],
    *arguments: *_Arguments,
) -> None:
    """Run one parser or reader. The only broad `except` of ingest: a fault in one must not lose the results for other files."""
    count_before, is_out_of_memory = findings.count, False
    try:
        _gather(findings, call(*arguments))
    except MemoryError:
        is_out_of_memory = True  # the doubt is added below: within this clause the traceback keeps the memory in use
    except Exception as error:
        findings.doubts.append(
            Doubt(1, "parser-failed", f"The reader of {plugin.name} failed: {type(error).__name__}: {error}"[:300])
        )
    if is_out_of_memory:
        message = f"The reader of {plugin.name} ran out of memory on this file; what it had found was kept."
        findings.doubts.append(Doubt(1, "limit", message))
    if findings.count > count_before:
        if isinstance(plugin, Parser):
            findings.parsers.append(plugin)
        elif isinstance(plugin, Reader):
            findings.readers.append(plugin)
        else:
            findings.series_readers.append(plugin)


def _gather(findings: FileFindings, items: Iterable[Found | Clue | FoundSeries | Member]) -> None:
    """Add the results of a parser or reader to the findings, and spill values beyond the capacity of memory."""
    capacity = findings.spill.capacity if findings.spill else sys.maxsize
    values, add_value = findings.gathered, findings.gathered.append
    for item in items:
        if type(item) is Value:
            if -MAX_VALUE < item.value < MAX_VALUE:
                add_value(item)
                if len(values) >= capacity:
                    capacity = findings.spill_gathered()
            else:
                message = f"{item.native}: {item.raw[:40]!r} is too large for a measurement"
                findings.doubts.append(Doubt(item.line, "bad-number", message))
        elif isinstance(item, Clue):
            if clue := without_remains(item):
                findings.clues.append(clue)
        elif isinstance(item, MissingValue):
            findings.missing.append(item)
        elif isinstance(item, FoundSeries):
            findings.series.append(item)
        elif isinstance(item, Member):
            findings.members.append(item)
        else:
            findings.doubts.append(item)


def _drop_double_claims(findings: FileFindings) -> None:
    """Of the same number, or mark, of a line read for the same metric by two parsers, only the first is kept."""
    findings.values, findings.gathered = findings.gathered, []
    if findings.spilled is not None:
        findings.spilled.add(findings.values)
        findings.values, findings.spilled = findings.spilled, None
    if len(findings.parsers) < 2:
        return
    findings.missing = _without_double_claims(findings.missing)
    seen: dict[tuple[int | str, str, str, str], str] = {}
    kept, contested = FileFindings("", "", 0, spill=findings.spill), _contested_lines(findings.values)
    for value in findings.values:
        first_tool = value.tool
        if contested is None or value.line in contested:
            first_tool = seen.setdefault((value.line, value.metric, value.raw, value.stat), value.tool)
        if first_tool == value.tool:
            kept.gathered.append(value)
            if contested is not None and len(kept.gathered) >= CHUNK_SIZE:
                kept.spill_gathered()
        else:
            findings.doubts.append(
                Doubt(
                    value.line,
                    "two-claims",
                    f"{first_tool} and {value.tool} both read {value.raw} here as {value.metric}; the first was used.",
                )
            )
    findings.values = kept.gathered
    if kept.spilled is not None:
        kept.spilled.add(kept.gathered)
        findings.values = kept.spilled


def _without_double_claims(missing_values: list[MissingValue]) -> list[MissingValue]:
    tools: dict[tuple[int | str, str, str, str], str] = {}
    return [
        missing
        for missing in missing_values
        if tools.setdefault((missing.line, missing.metric, missing.raw, missing.stat), missing.tool) == missing.tool
    ]


def _contested_lines(values: Sequence[Value]) -> set[int | str] | None:
    """The lines on which several tools found something; None for values in memory, for which all lines are compared."""
    if not isinstance(values, SpilledValues):
        return None
    tools: dict[str, array[int]] = {}
    others: set[int | str] = set()
    for value in values:
        if isinstance(value.line, int):
            lines = tools.setdefault(value.tool, array("q"))
            if not lines or lines[-1] != value.line:
                lines.append(value.line)
        else:
            others.add(value.line)
    *others_lines, longest = sorted(tools.values(), key=len)
    seen: set[int] = set()
    for lines in others_lines:
        others.update(seen.intersection(lines))
        seen.update(lines)
    return others | seen.intersection(longest)
