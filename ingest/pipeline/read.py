"""The route through the rooms: archive -> lines -> recognise -> parse -> resolve -> records, file by file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, BinaryIO

from ingest.analysis.cache_state import FileCommands
from ingest.analysis.duplicates import mark_duplicates
from ingest.configuration.repetitions import RepetitionCounter
from ingest.configuration.resolve import Resolver
from ingest.configuration.subjects import measured_path
from ingest.containers import archive
from ingest.containers.budget import Limits
from ingest.containers.damage_report import DamageDoubt
from ingest.detect import detect
from ingest.detect.detect import FileFindings
from ingest.detect.result_cache import FindingsCache
from ingest.detect.titles import RunTitles
from ingest.records import Doubt, FileReport, Measurement, Record, StatedFact, Value, Warning
from ingest.spill.values import ValueSpill, pieces
from ingest.text.decode import read_text
from ingest.text.quoted_strings import restore_origins

_HEAD = 64  # bytes that tell a binary format
Progress = Callable[[int, int | None, int], None]
_Stated = Mapping[str, Any] | Sequence[StatedFact]


def read(
    paths: Iterable[str | Path],
    stated: _Stated | None = None,
    *,
    names: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
    known: FindingsCache | None = None,
) -> Iterator[Record]:
    """The records of each path (a folder, an archive or a file), each an upload of its own.

    `stated`: what a person tells beside the files: a mapping of keys for the whole upload, used where nothing in it
    tells them, or `StatedFact`s, which take their place among the scopes; of two for one place the later holds. `names`: what a
    path was called when it was uploaded. `progress(files done, files in all or None, values so far)` is called after each
    file that is looked at, when nobody knows how many there are; then again with their number as the records of each are
    made. `known` carries over to the next call what files told. Raises UnreadableInput where a path cannot be
    opened; nothing else on any bytes.
    """
    known = known or FindingsCache()
    for path in paths:
        yield from _upload(path, (names or {}).get(str(path)), stated or {}, limits, progress, known)


def _upload(
    path: str | Path, name: str | None, stated: _Stated, limits: Limits | None, progress: Progress | None, known: FindingsCache
) -> Iterator[Record]:
    with closing(ValueSpill()) as shelf:
        found, loose = _found(archive.iter_files(path, name, limits, detect.NoiseDetector), progress, known, shelf)
        records = _records(found, stated, progress or (lambda done, total, values: None))
        origins = {findings.path: findings.origins for findings in found if findings.origins is not None}
        broken = {findings.path: findings.broken for findings in found if findings.broken is not None}
        yield from restore_origins(records, origins, broken) if origins else records
        yield from loose


def _found(
    entries: Iterable[archive.ArchiveEntry], progress: Progress | None, known: FindingsCache, shelf: ValueSpill
) -> tuple[list[FileFindings], list[Warning]]:
    """What is in the files of an upload, by path, and what is to be said about places that are none."""
    found, said, values = list[FileFindings](), list[tuple[str, Doubt]](), 0
    for entry in entries:
        if entry.data is None:
            said += [(entry.path, doubt) for doubt in entry.doubts]
            continue
        findings = analyse_entry(entry, known, shelf)
        findings.doubts = [
            doubt.complete(len(findings.values)) if isinstance(doubt, DamageDoubt) else doubt for doubt in findings.doubts
        ]
        found.append(findings)
        values += len(findings.values)
        findings.values = shelf.put(findings.values)
        findings.settle()
        if progress is not None:
            progress(len(found), None, values)
    found.sort(key=lambda findings: findings.path)
    return found, [_loose(path, doubt, found) for path, doubt in said]


def _loose(path: str, doubt: Doubt, found: list[FileFindings]) -> Warning:
    if isinstance(doubt, DamageDoubt):
        doubt = doubt.complete(sum(len(findings.values) for findings in found if doubt.covers(findings.path)))
    return Warning(path, doubt.line, doubt.code, doubt.message)


def analyse_entry(entry: archive.ArchiveEntry, known: FindingsCache, shelf: ValueSpill | None = None) -> FileFindings:
    """What parsers and readers find in one file. Takes the bytes out of the entry. A shelf takes the values that are too many.

    A file for which there is too little memory costs itself, and no other.
    """
    data, stream, entry.data, entry.stream = entry.data or b"", entry.stream, None, None
    digest = entry.sha256 or hashlib.sha256(data).hexdigest()
    found = FileFindings(entry.path, digest, entry.size or len(data), doubts=list(entry.doubts), shelf=shelf)
    if known.fill(found):
        return found
    with suppress(MemoryError):
        _look_at(found, entry, data, stream, known)
        return found
    short = Doubt(1, "limit", "The file needs more memory than there is to be read; nothing of it was taken.")
    return FileFindings(found.path, digest, found.size, doubts=[*entry.doubts, short])


def _look_at(found: FileFindings, entry: archive.ArchiveEntry, data: bytes, stream: BinaryIO | None, known: FindingsCache) -> None:
    if stream is not None:
        with stream:
            text, doubts = read_text(entry.path, stream, entry.gaps, entry.cut)
            stream.seek(0)
            head = stream.read(_HEAD)
            data = head + stream.read() if detect.is_binary_format(head) else b""
    else:
        text, doubts = read_text(entry.path, data, entry.gaps, entry.cut)
    found.doubts += doubts
    if text is not None and not detect.is_binary_format(data):
        data = b""  # a large log need not be kept twice
    detect.collect_findings(found, text, data)
    if text is not None:
        found.commands, found.origins = text.commands, text.origins
        known.keep(found, text, len(entry.doubts))


def _records(found: list[FileFindings], stated: _Stated, progress: Progress) -> Iterator[Record]:
    values = sum(len(findings.values) for findings in found)
    progress(0, len(found), values)
    twins = mark_duplicates([(findings.path, findings.values) for findings in found])
    resolver = Resolver(found, stated)
    told: list[int] = []
    for findings in found:
        yield from _measurements(findings, resolver, twins)
        yield from resolver.evidence(findings)
        told.append(len(resolver.doubts(findings)))
        yield from _warnings(findings, findings.doubts + resolver.doubts(findings))
        yield _report(findings)
        # Whoever gathers records holds as much again: nobody asks for the values of this file any more.
        findings.values = ()
        resolver.done(findings)
        progress(len(told), len(found), values)
    # A contradiction in a file of context is seen when a later file asks for the configuration.
    for findings, before in zip(found, told, strict=True):
        yield from _warnings(findings, resolver.doubts(findings)[before:])


def _warnings(findings: FileFindings, doubts: list[Doubt]) -> Iterator[Warning]:
    for doubt in _in_order(doubts):
        yield Warning(findings.path, doubt.line, doubt.code, doubt.message)


def _measurements(findings: FileFindings, resolver: Resolver, twins: Mapping[int, str]) -> Iterator[Measurement]:
    if not findings.values:
        return
    runs, repetitions, titles = dict[Any, int](), RepetitionCounter(), RunTitles(findings.titles) if findings.titles else None
    caches = FileCommands(findings.commands, (value.line for value in findings.values)) if findings.commands else None
    for names, values in pieces(findings.values):
        if names is not None:
            # Read once more; told by identity as all others, which is that of these values while they are held.
            resolver.forget(findings)
            repetitions.forget()
            marked = {id(value): twins[name] for name, value in zip(names, values, strict=True) if name in twins}
        yield from _of_values(findings, values, resolver, twins if names is None else marked, (runs, repetitions, caches, titles))
    if titles is not None:
        findings.doubts = [*findings.doubts, *titles.doubts.values()]


def _of_values(
    findings: FileFindings,
    values: Sequence[Value],
    resolver: Resolver,
    twins: Mapping[int, str],
    before: tuple[dict[Any, int], RepetitionCounter, FileCommands | None, RunTitles | None],
) -> Iterator[Measurement]:
    """Of values that are held together. `before`: the runs, repetitions, caches and titles of the file so far."""
    path, (runs, repetitions, caches, titles) = findings.path, before
    anywhere = resolver.holds_anywhere(findings)
    line = params = told = run = tool = version = origin = None
    for value in values:
        # What the values of one row of a table share is worked out once.
        if (
            value.params is not params
            or value.run != run
            or (value.line != line and not anywhere)
            or value.tool != tool
            or (value.printed_config is not told and (value.printed_config or told))
            or value.tool_version != version
            or value.origin != origin
        ):
            line, params, told, run = value.line, value.params, value.printed_config, value.run
            tool, version, origin = value.tool, value.tool_version, value.origin
            config, places = resolver.configuration(findings, value)
            counts = repetitions.of(value, config)
            number = runs.setdefault((tool, run), len(runs))
            cache = caches.before(line, tool, measured_path(params, None)) if caches else None
            cached = (cache[0], f"{path}:{cache[1]}") if cache else None
        # A duplicate has the number of no repetition of its own: it takes the count so far, at least 1.
        twin = twins.get(id(value)) if twins else None
        measured = value.metric, value.stat
        count = counts.get(measured, 0)
        title = None
        if twin is None:
            count = counts[measured] = count + 1
            title = titles.apart(value, counts) if titles is not None else None
        yield Measurement(
            path,
            value.line,
            tool,
            version,
            value.metric,
            value.native,
            value.value,
            value.unit,
            value.raw,
            value.raw_unit,
            value.stat,
            count or 1,
            twin,
            params,
            config,
            places,
            origin,
            value.source_note,
            value.started_at,
            number,
            cached,
            title,
        )


def _in_order(doubts: list[Doubt]) -> list[Doubt]:
    return sorted(doubts, key=lambda doubt: (not isinstance(doubt.line, int), doubt.line if isinstance(doubt.line, int) else 0))


def _report(findings: FileFindings) -> FileReport:
    who = findings.parsers if findings.values or not findings.clues else findings.readers
    who = who or findings.readers
    first = who[0] if who else None
    return FileReport(
        findings.path,
        findings.sha256,
        ", ".join(dict.fromkeys(one.name for one in who)),
        first.name if first else None,
        first.version if first else None,
        len(findings.values),
        findings.status,
        findings.size,
    )
