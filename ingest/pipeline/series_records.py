"""The records of numbers over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ingest.configuration.devices import DeviceMembers
from ingest.configuration.resolve import Resolver
from ingest.detect.findings import FileFindings
from ingest.lazy_regex import lazy
from ingest.records import Doubt, FoundSeries, SeriesRecord, Value

VDEV = "block.vdev"  # pool and vdev, or array, of the device of a series
_VERSION = lazy(r"(?:fio-)?(\d{1,3})\.(\d{1,3})")
_NANOSECONDS_SINCE = (2, 99)  # fio; before, its logs have microseconds
_MICROSECONDS = 10**6


def settle_units(findings_list: Sequence[FileFindings]) -> None:
    """Choose the unit of series by the version of their tool in an output beside them; drop those whose unit stays open."""
    for findings in findings_list:
        if not any(series.unit_tool for series in findings.series):
            continue
        versions = _versions_beside(findings.path, findings_list)
        units = {version >= _NANOSECONDS_SINCE for version in versions}
        if len(units) == 1:
            has_microseconds = not units.pop()
            for series in findings.series:
                if series.unit_tool and has_microseconds:
                    series.points = series.points.divided_by(_MICROSECONDS)
            continue
        dropped = [series for series in findings.series if series.unit_tool]
        findings.series = [series for series in findings.series if not series.unit_tool]
        message = "The latencies are ns since fio 3, before microseconds, and no output of fio beside them prints the version."
        findings.doubts = [*findings.doubts, Doubt(min(series.line for series in dropped), "unknown-unit", message)]


def _versions_beside(path: str, findings_list: Sequence[FileFindings]) -> set[tuple[int, int]]:
    """The versions of fio whose results are in the nearest folder around the file that has any."""
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        found = {
            (int(match[1]), int(match[2]))
            for findings in findings_list
            if findings.path.startswith(f"{folder}/" if folder else "")
            for version in {value.tool_version for value in findings.values if value.tool == "fio"}
            if version and (match := _VERSION.match(version))
        }
        if found:
            return found
    return set()


def series_records(findings: FileFindings, resolver: Resolver, members: DeviceMembers) -> Iterator[SeriesRecord]:
    """The records of a file's series, in the order of the readers. The vdev of a device stands in the open key `block.vdev`."""
    shared: dict[tuple[int, int, str], tuple[Mapping[str, Any], Mapping[str, str]]] = {}
    sources: list[Mapping[str, Any]] = []  # configurations and references, kept so that their id() stay unique
    for found in findings.series:
        value = _as_value(found)
        config, references, chosen, implied, _ = resolver.configuration(findings, value)
        if found.subject and found.metric.startswith("disk."):
            key = id(config), id(references), found.subject
            if key not in shared:
                sources += (config, references)
                place = members.place_of(found.subject, findings.path, config.get("host"))
                shared[key] = _with_vdev(config, references, place)
            config, references = shared[key]
            chosen = chosen | {VDEV} if VDEV in config else chosen  # recorded although it is no part of the identity
        has_times = next(iter(found.points.chunks()))[0] is not None
        yield SeriesRecord(
            findings.path,
            found.line,
            found.tool,
            found.metric,
            found.subject,
            found.unit,
            points=found.points,
            ticks=found.ticks,
            started_at=found.started_at,
            config=config,
            config_from=references,
            offset=(found.points.first_time - found.began) / found.ticks if has_times else None,
            implied=implied,
            chosen=chosen,
        )


def _with_vdev(
    config: Mapping[str, Any], references: Mapping[str, str], place: tuple[str, str] | None
) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    """Configuration and references with the vdev of the device; as they are if it is unknown."""
    if place is None:
        return config, references
    return {**config, VDEV: place[0]}, {**references, VDEV: place[1]}


def _as_value(found: FoundSeries) -> Value:
    """A value with the line, the tool and what the tool printed, by which a configuration is resolved."""
    return Value(
        found.line,
        found.tool,
        found.metric,
        "",
        0.0,
        found.unit,
        raw="",
        raw_unit="",
        run=found.line,
        printed_config=found.printed_config,
    )
