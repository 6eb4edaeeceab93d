"""The ingest pipeline: archive -> lines -> parsers and readers -> configuration -> records, file by file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from ingest.analysis.cache_state import FileCommands, effective_commands
from ingest.analysis.device_bytes import moved_by_runs
from ingest.analysis.duplicates import mark_duplicates
from ingest.analysis.run_chain import check_chains
from ingest.configuration.clock_times import ClockTimes
from ingest.configuration.devices import DeviceMembers
from ingest.configuration.repetitions import RepetitionCounter, RunTargets, mark_numbers_of_runs
from ingest.configuration.resolve import Resolved, Resolver
from ingest.configuration.run_commands import RunCommands
from ingest.configuration.stated import StatedParams, StatedRuns
from ingest.configuration.subjects import measured_path
from ingest.containers import archive
from ingest.containers.archive import DamageDoubt
from ingest.containers.budget import Limits
from ingest.containers.paths import ArchiveEntry
from ingest.detect import detect, file_kinds
from ingest.detect.findings import NO_LINES, FileFindings, FindingsCache
from ingest.detect.titles import NamedFiles, RunTitles
from ingest.errors import OverLimit
from ingest.pipeline.handmade import check_averages
from ingest.pipeline.series_records import series_records, settle_units
from ingest.plugin_api import Parser, Reader, SeriesReader
from ingest.records import (
    NO_PARAMS,
    RUNS,
    TAKE,
    Doubt,
    FileReport,
    Measurement,
    MissingValue,
    MovedBytes,
    Record,
    StatedFact,
    Unmeasured,
    Value,
    Warning,
)
from ingest.spill import ValueSpill, iter_chunks, value_ids
from ingest.text.decode import read_text
from ingest.text.mail import restore_origins
from ingest.transcript.clock import read_clock
from ingest.transcript.device_counters import read_counters

Progress = Callable[[int, int | None, int], None]
Guard = Callable[[str, int], AbstractContextManager[object]]
_Stated = Mapping[str, Any] | Sequence[StatedFact]


def read(
    paths: Iterable[str | Path],
    stated: _Stated | None = None,
    *,
    names: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
    cache: FindingsCache | None = None,
    guard: Guard | None = None,
) -> Iterator[Record]:
    """The records of each path (a folder, an archive or a file), each an upload of its own.

    `stated`: what a person states about the files: a mapping of keys for the whole upload, used if nothing in it has them, or
    `StatedFact`s, which have their own scopes; of two for one scope the later is valid. `names`: the name of a path when it was
    uploaded. `progress(files done, number of files or None, values so far)` is called after each file that is analysed, while
    their number is unknown, then again with their number as the records of each are created. `cache` carries findings over to
    the next call. `guard(path, size)` is a context in which each file is analysed; where it raises OverLimit, also in the midst
    of the analysis, the file is reported and the others are read. Raises UnreadableInput if a path cannot be opened; nothing
    else on any bytes.
    """
    cache = cache or FindingsCache()
    for path in paths:
        yield from _upload(path, (names or {}).get(str(path)), stated or {}, limits, progress, cache, guard=guard or _no_guard)


def _no_guard(path: str, size: int) -> AbstractContextManager[object]:
    return nullcontext()


def _upload(
    path: str | Path,
    name: str | None,
    stated: _Stated,
    limits: Limits | None,
    progress: Progress | None,
    cache: FindingsCache,
    *,
    guard: Guard,
) -> Iterator[Record]:
    with closing(ValueSpill()) as spill:
        entries = archive.iter_files(path, name, limits, detect.NoiseDetector)
        findings_list, warnings = _collect(entries, progress, cache, spill, guard, taken=_taken_lines(stated))
        tables = {findings.path: findings.tables for findings in findings_list if findings.tables}
        records = _records(findings_list, stated, progress or (lambda done, total, values: None))
        records = check_averages(records, tables) if tables and any(len(one.values) for one in findings_list) else records
        origins = {findings.path: findings.origins for findings in findings_list if findings.origins is not None}
        joined = {findings.path: findings.joined for findings in findings_list if findings.joined is not None}
        yield from restore_origins(records, origins, joined) if origins else records
        yield from warnings


def _taken_lines(stated: _Stated) -> dict[str, dict[int | str, Any]]:
    """Path -> line of a warning -> what a person takes of what it left out; of two statements about a line the later."""
    taken = dict[str, dict[int | str, Any]]()
    for fact in () if isinstance(stated, Mapping) else stated:
        if fact.key == TAKE and fact.reach == RUNS:
            taken.setdefault(fact.path, {}).update(dict.fromkeys(fact.lines, fact.value))
    return taken


def _collect(
    entries: Iterable[ArchiveEntry],
    progress: Progress | None,
    cache: FindingsCache,
    spill: ValueSpill,
    guard: Guard = _no_guard,
    *,
    taken: Mapping[str, Mapping[int | str, Any]] = NO_PARAMS,
) -> tuple[list[FileFindings], list[Warning]]:
    """(the findings for the files of an upload, sorted by path; warnings about paths that are no files)."""
    findings_list, upload_doubts, values = list[FileFindings](), list[tuple[str, Doubt]](), 0
    for entry in entries:
        if entry.data is None:
            upload_doubts += [(entry.path, doubt) for doubt in entry.doubts]
            continue
        findings = analyse_entry(entry, cache, spill, guard, taken.get(entry.path))
        findings.cut = entry.cut
        findings.doubts = [
            doubt.complete(len(findings.values)) if isinstance(doubt, DamageDoubt) else doubt for doubt in findings.doubts
        ]
        findings_list.append(findings)
        values += len(findings.values)
        findings.values = spill.put(findings.values)
        findings.share_lists()
        if progress is not None:
            progress(len(findings_list), None, values)
    findings_list.sort(key=lambda findings: findings.path)
    file_kinds.add_doubts_without_results(findings_list)
    return findings_list, [_warning_of_upload(path, doubt, findings_list) for path, doubt in upload_doubts]


def _warning_of_upload(path: str, doubt: Doubt, findings_list: list[FileFindings]) -> Warning:
    if isinstance(doubt, DamageDoubt):
        covered = [findings for findings in findings_list if doubt.covers(findings.path)]
        results, cut = sum(len(findings.values) for findings in covered), sum(findings.cut for findings in covered)
        doubt = doubt.complete(results, len(covered), cut)
    return Warning(path, doubt.line, doubt.code, doubt.message)


def analyse_entry(
    entry: ArchiveEntry,
    cache: FindingsCache,
    spill: ValueSpill | None = None,
    guard: Guard = _no_guard,
    taken: Mapping[int | str, Any] | None = None,
) -> FileFindings:
    """The results of parsers and readers for one file. Takes the bytes out of the entry. Values beyond the capacity of memory go to
    `spill`.

    If a file needs more memory than there is, or more of something else than `guard` allows, only that file is lost.
    """
    data, stream, entry.data, entry.stream = entry.data or b"", entry.stream, None, None
    digest = entry.sha256 or hashlib.sha256(data).hexdigest()
    findings = FileFindings(
        entry.path, digest, entry.size or len(data), doubts=list(entry.doubts), spill=spill, taken=taken or NO_LINES
    )
    if not taken and cache.fill(findings):
        return findings
    try:
        with guard(entry.path, findings.size):
            _analyse_content(findings, entry, data, stream, cache)
        return findings
    except MemoryError:
        reason = "Reading the file needs more memory than is available"
    except OverLimit as limit:
        reason = str(limit)
    # Outside of the clauses, in which the traceback keeps the memory in use.
    doubt = Doubt(1, "limit", f"{reason}; nothing in it was recorded. Upload it in parts, or without what is no result.")
    return FileFindings(findings.path, digest, findings.size, doubts=[*entry.doubts, doubt])


def _analyse_content(
    findings: FileFindings, entry: ArchiveEntry, data: bytes, stream: BinaryIO | None, cache: FindingsCache
) -> None:
    if stream is not None:
        with stream:
            text, doubts = read_text(entry.path, stream, entry.gaps, entry.cut)
            stream.seek(0)
            head = stream.read(file_kinds.HEAD_SIZE)
            data = head + stream.read() if detect.is_binary_format(head) else b""
    else:
        text, doubts = read_text(entry.path, data, entry.gaps, entry.cut)
        head = data[: file_kinds.HEAD_SIZE]
    findings.doubts += doubts
    if text is not None and not detect.is_binary_format(data):
        data = b""  # free the bytes, of which `text` is a copy
    test = entry.noise_test
    detect.collect_findings(findings, text, data, test.series if isinstance(test, detect.NoiseDetector) else None)
    file_kinds.recognise_kind(findings, text, head)
    if text is not None:
        findings.commands, findings.clock = effective_commands(text), read_clock(text)
        findings.counters = read_counters(text)
        cache.keep(findings, text, len(entry.doubts))


def _records(findings_list: list[FileFindings], stated: _Stated, progress: Progress) -> Iterator[Record]:
    values = sum(len(findings.values) for findings in findings_list)
    progress(0, len(findings_list), values)
    digests = {findings.path: findings.sha256 for findings in findings_list}
    check_chains(findings_list)
    stated_runs = StatedRuns(findings_list)
    for findings in findings_list:
        stated_runs.apply(findings)
    mark_numbers_of_runs(findings_list)
    clocks = ClockTimes(findings_list)
    resolver = Resolver(findings_list, stated)
    originals: dict[int, str] = {}
    for group in stated_runs.separate(findings_list):
        originals |= mark_duplicates([(findings.path, findings.values) for findings in group], digests, resolver.link_duplicates)
    resolver.end_of_duplicates()
    run_commands, stated_params = RunCommands(findings_list, originals), StatedParams(() if isinstance(stated, Mapping) else stated)
    for findings in findings_list:
        run_commands.apply(findings)
        stated_params.apply(findings)
    missing_places = {(findings.path, missing.line, missing.metric) for findings in findings_list for missing in findings.missing}
    settle_units(findings_list)
    members = DeviceMembers(findings_list, resolver.hosts.hosts_of)
    named_files = NamedFiles(findings.path for findings in findings_list if findings.values)
    doubt_counts = list[int]()
    for findings in findings_list:
        runs = dict[Any, int]()
        clocks.enter(findings)
        found = chain[Value | MissingValue](findings.values, findings.missing)
        commands = FileCommands(findings.commands, (one.line for one in found)) if findings.commands else None
        yield from _measurements(findings, resolver, originals, (runs, commands, clocks), named_files)
        yield from _unmeasured(findings, resolver, _copied_places(findings, originals, missing_places), (runs, commands, clocks))
        yield from series_records(findings, resolver, members)
        yield from resolver.evidence(findings)
        doubt_counts.append(len(resolver.doubts(findings)))
        yield from _warnings(findings, findings.doubts + resolver.doubts(findings))
        yield _report(findings)
        # Free the values: a caller that collects records needs as much memory again.
        findings.values, findings.missing, findings.series = (), [], []
        resolver.release(findings)
        progress(len(doubt_counts), len(findings_list), values)
    # A contradiction in a context file is found when the configuration of a later file is resolved.
    for findings, reported in zip(findings_list, doubt_counts, strict=True):
        yield from _warnings(findings, resolver.doubts(findings)[reported:])


def _warnings(findings: FileFindings, doubts: list[Doubt]) -> Iterator[Warning]:
    for doubt in _sorted_by_line(doubts):
        yield Warning(findings.path, doubt.line, doubt.code, doubt.message)


_Moved = Mapping[tuple[str, Any], MovedBytes]
_FileState = tuple[dict[Any, int], FileCommands | None, ClockTimes]
"""Of a file: tool and run -> number of the run, which is added to; its commands; its clock."""


def _measurements(
    findings: FileFindings, resolver: Resolver, originals: Mapping[int, str], state: _FileState, named_files: NamedFiles
) -> Iterator[Measurement]:
    if not findings.values:
        return
    (runs, commands, clocks), named = state, list[Doubt]()
    repetitions, titles = RepetitionCounter(), RunTitles(findings.sections) if findings.sections else None
    targets, moved = RunTargets(), moved_by_runs(findings, originals, partial(resolver.disks_of, findings))
    for at, (ids, values) in enumerate(iter_chunks(findings.values)):
        of_chunk = originals
        if ids is not None:
            # Values read back from the spill: identified by id() while they are in memory.
            resolver.clear_identities(findings)
            repetitions.clear_identities()
            of_chunk = {
                id(value): originals[value_id] for value_id, value in zip(ids, values, strict=True) if value_id in originals
            }
        if not at and id(values[0]) not in of_chunk:  # the first value speaks for its file; a copy is no repetition
            named += named_files.doubts(findings.path, values[0], _resolve(resolver, findings, values[0], commands)[0][-1])
        yield from _measurements_of_chunk(
            findings,
            values,
            resolver,
            of_chunk,
            (runs, repetitions, commands, titles, targets, clocks, moved),
        )
    doubts = (*(titles.doubts.values() if titles is not None else ()), *targets.doubts.values(), *named)
    if doubts:
        findings.doubts = [*findings.doubts, *doubts]


def _measurements_of_chunk(
    findings: FileFindings,
    values: Sequence[Value],
    resolver: Resolver,
    originals: Mapping[int, str],
    state: tuple[dict[Any, int], RepetitionCounter, FileCommands | None, RunTitles | None, RunTargets, ClockTimes, _Moved],
) -> Iterator[Measurement]:
    """Records of values in memory together. `state`: what is known of the file so far, and its clock."""
    path, (runs, repetitions, commands, titles, targets, clocks, moved) = findings.path, state
    is_uniform, own_times = resolver.is_uniform(findings), clocks.is_plain
    title_of_all = resolver.titles.get(path)
    line = params = printed_config = run = tool = version = origin = None
    places: tuple[Any, Any, Mapping[str, str]] = None, None, NO_PARAMS
    for value in values:
        # Computed once for the values of one row of a table.
        if (
            value.params is not params
            or value.run != run
            or (value.line != line and not is_uniform)
            or value.tool != tool
            or (value.printed_config is not printed_config and (value.printed_config or printed_config))
            or value.tool_version != version
            or value.origin != origin
        ):
            line, params, printed_config, run = value.line, value.params, value.printed_config, value.run
            tool, version, origin = value.tool, value.tool_version, value.origin
            run_number = runs.setdefault((tool, run), len(runs))
            resolved, cache_state = _resolve(resolver, findings, value, commands)
            config, references, chosen, implied, base = resolved
            emptied_by = commands.emptied_by(line, tool, measured_path(params, None)) if commands else None
            counts = repetitions.counts(value, base)
            if value.implied is not places[0] or value.params_from is not places[1]:
                places = value.implied, value.params_from, _places(path, value)
            if not (originals and id(value) in originals):
                targets.check(value, counts)
        # A duplicate is no repetition of its own: it has the count so far, at least 1.
        original = originals.get(id(value)) if originals else None
        metric_key = value.metric, value.stat
        count = counts.get(metric_key, 0)
        title = None
        if original is None:
            count = counts[metric_key] = count + 1
            title = titles.distinguishing_title(value, counts) if titles is not None else None
            title = title or title_of_all
        yield Measurement(
            path,
            value.line,
            tool,
            version,
            value.metric,
            value.native,
            value=value.value,
            unit=value.unit,
            raw=value.raw,
            raw_unit=value.raw_unit,
            stat=value.stat,
            repetition=count or 1,
            duplicate_of=original,
            params=params,
            config=config,
            config_from=references,
            origin=origin,
            source_note=value.source_note,
            started_at=value.started_at if own_times else clocks.start_of(value),
            run=run_number,
            cache=cache_state,
            title=title,
            implied=implied,
            chosen=chosen,
            moved=moved.get((tool, run)) if moved else None,
            emptied_by=emptied_by,
            params_from=places[2],
        )


def _places(path: str, value: Value | MissingValue) -> Mapping[str, str]:
    """FILE:LINE of the parameters that stand apart from the value; one object for each `params_from`, as most of a run share it."""
    if not value.implied:
        return value.params_from or NO_PARAMS
    return {name: f"{path}:{line}" for name, line in value.implied.items()} | {**(value.params_from or {})}


_Place = tuple[int | str, str]  # line and metric


def _copied_places(
    findings: FileFindings, originals: Mapping[int, str], missing_places: set[tuple[str, int | str, str]]
) -> dict[_Place, str]:
    """Line and metric of a missing value -> FILE:LINE of the record that already has it.

    The parser states it, or all else on the line, or in the run, shows what another line does, where the same metric is missing.
    """
    if not findings.missing:
        return {}
    lines: dict[int | str, str] = {}
    of_runs: dict[Any, set[str]] = {}
    for value_id, value in zip(value_ids(findings.values), findings.values, strict=True) if originals else ():
        if value_id in originals:
            lines[value.line] = originals[value_id]
            of_runs.setdefault(value.run, set()).add(originals[value_id])
    runs = {run: places.pop() for run, places in of_runs.items() if len(places) == 1}
    copied: dict[_Place, str] = {}
    for missing in findings.missing:
        if missing.same_as is not None:
            copied[missing.line, missing.metric] = f"{findings.path}:{missing.same_as}"
        elif place := lines.get(missing.line) or runs.get(missing.run):
            path, _, line = place.rpartition(":")
            if (path, int(line) if line.isdecimal() else line, missing.metric) in missing_places:
                copied[missing.line, missing.metric] = place
    return copied


def _resolve(
    resolver: Resolver, findings: FileFindings, value: Value | MissingValue, commands: FileCommands | None
) -> tuple[Resolved, tuple[str, str] | None]:
    """The configuration of a value, and what emptied the caches before its run with FILE:LINE, as far as a transcript shows it."""
    resolved = resolver.configuration(findings, value)
    if commands is None or not commands.shows(value.line):
        return resolved, None
    cache = commands.before(value.line, value.tool, measured_path(value.params, None))
    caches = (cache[0], f"{findings.path}:{cache[1]}") if cache else None
    return resolver.with_caches(resolved, caches or ("", "")), caches


def _unmeasured(
    findings: FileFindings, resolver: Resolver, copied: Mapping[_Place, str], state: _FileState
) -> Iterator[Unmeasured]:
    """The records of missing values. Their repetitions are counted apart from those of the measurements."""
    repetitions, (runs, commands, clocks) = RepetitionCounter(), state
    for missing in findings.missing:
        (config, references, chosen, implied, base), _ = _resolve(resolver, findings, missing, commands)
        counts, metric_key = repetitions.counts(missing, base), (missing.metric, missing.stat)
        original = copied.get((missing.line, missing.metric))
        count = counts.get(metric_key, 0)
        if original is None:
            count = counts[metric_key] = count + 1
        yield Unmeasured(
            findings.path,
            missing.line,
            missing.tool,
            missing.tool_version,
            missing.metric,
            missing.native,
            unit=missing.unit,
            raw=missing.raw,
            stat=missing.stat,
            repetition=count or 1,
            duplicate_of=original,
            params=missing.params,
            config=config,
            config_from=references,
            origin=missing.origin,
            source_note=missing.source_note,
            started_at=clocks.start_of(missing),
            reason=missing.reason,
            bound=missing.bound,
            side=missing.side,
            run=runs.setdefault((missing.tool, missing.run), len(runs)),
            implied=implied,
            chosen=chosen,
            params_from=_places(findings.path, missing),
        )


def _sorted_by_line(doubts: list[Doubt]) -> list[Doubt]:
    return sorted(doubts, key=lambda doubt: (not isinstance(doubt.line, int), doubt.line if isinstance(doubt.line, int) else 0))


def _report(findings: FileFindings) -> FileReport:
    plugins: Sequence[Parser | Reader | SeriesReader] = (
        findings.parsers if findings.values or findings.missing or not findings.clues else findings.readers
    )
    if findings.series and not findings.values and not findings.missing:
        plugins = findings.series_readers
    plugins = plugins or findings.series_readers or findings.readers
    first = plugins[0] if plugins else None
    return FileReport(
        findings.path,
        findings.sha256,
        findings.kind.label if findings.kind else ", ".join(dict.fromkeys(plugin.name for plugin in plugins)),
        first.name if first else None,
        first.version if first else None,
        len(findings.values),
        status=findings.status,
        size=findings.size,
    )
