"""What has become of the sources of a frozen record: values corrected, gone or withdrawn, archives withdrawn or deleted.

The record never changes; what it holds is compared with what the database says today, by archive digest, path, line,
metric and name in the output.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Q

from ingest.keys import KEYS
from webapp.formatting import numbers as shown
from webapp.models import Archive, Configuration, Withdrawal
from webapp.permalinks import current_values as current
from webapp.permalinks import plate
from webapp.permalinks.current_values import CurrentValue

CORRECTED, GONE, WITHDRAWN, ELSEWHERE = "corrected", "no longer read", "withdrawn", "on another configuration"


@dataclass(frozen=True, slots=True)
class ArchiveChange:
    """What has become of an archive that the permalink rests on."""

    title: str
    sentence: str
    reason: str = ""
    archive: str = ""
    """Its number in the record."""


@dataclass(frozen=True, slots=True)
class ValueChange:
    """One value then and now, in words; `number` is its place in the record."""

    number: int
    kind: str
    place: str
    metric: str
    then: str
    now: str
    when: str = ""


@dataclass(slots=True)
class Changes:
    """All that has changed. `linked`: archives whose lines everybody can still see. `total`: values of the record."""

    archives: list[ArchiveChange]
    linked: set[int]
    total: int
    values: list[ValueChange] = field(default_factory=list)

    @property
    def sentences(self) -> list[str]:
        """`3 of 45 values were corrected on 4 May 2026`, one for each kind and day."""
        counts: dict[tuple[str, str], int] = {}
        for one in self.values:
            counts[one.kind, one.when] = counts.get((one.kind, one.when), 0) + 1
        return [_sentence(kind, when, count, self.total) for (kind, when), count in counts.items()]


def _sentence(kind: str, when: str, count: int, total: int) -> str:
    were = "was" if count == 1 else "were"
    head = f"{shown.count(count)} of {shown.count(total)} value{'' if total == 1 else 's'}"
    verb = {
        CORRECTED: f"{were} corrected",
        WITHDRAWN: f"{were} withdrawn",
        GONE: f"{'is' if count == 1 else 'are'} no longer read from {'its' if count == 1 else 'their'} line",
        ELSEWHERE: f"{'is' if count == 1 else 'are'} on another configuration now",
    }[kind]
    return f"{head} {verb}" + (f", on {when}" if when and kind in (GONE, ELSEWHERE) else f" on {when}" if when else "")


def find_changes(told: Mapping[str, Any]) -> Changes:
    """Everything that has changed since the record was frozen. At most nine queries, of which most is known to the process."""
    sums = {about["sha256"] for about in told["archives"].values()}
    there = list(Archive.objects.filter(Q(pk__in=map(int, told["archives"])) | Q(sha256__in=sums)).order_by("-pk"))
    archives, linked = _of_archives(told, {archive.pk: archive for archive in there})
    found = Changes(archives, linked, len(told["values"]))
    present = {a.sha256: a for a in there if a.is_public and a.read_at is not None}
    if present:
        found.values = _of_values(told, present)
    return found


def find_archive_changes(told: Mapping[str, Any]) -> tuple[list[ArchiveChange], set[int]]:
    """What has become of the archives, and the numbers of those whose lines everybody can still see. One query."""
    return _of_archives(told, Archive.objects.in_bulk([int(pk) for pk in told["archives"]]))


def _of_archives(told: Mapping[str, Any], found: Mapping[int, Archive]) -> tuple[list[ArchiveChange], set[int]]:
    out, linked = [], set()
    for pk, about in sorted(told["archives"].items(), key=lambda item: int(item[0])):
        archive = found.get(int(pk))
        if archive is None:
            out.append(ArchiveChange(about["title"], "has been deleted since", archive=pk))
        elif archive.is_withdrawn:
            out.append(
                ArchiveChange(about["title"], f"was withdrawn on {_day(archive.withdrawn_at)}", archive.withdrawn_reason, pk)
            )
        elif not archive.is_public:
            out.append(ArchiveChange(about["title"], "is not public; only the frozen values are", archive=pk))
        else:
            linked.add(archive.pk)
    return out, linked


def _day(moment: datetime | None) -> str:
    return f"{moment.day} {moment:%B %Y}" if moment else "an unknown day"


def _of_values(told: Mapping[str, Any], present: Mapping[str, Archive]) -> list[ValueChange]:
    places = [plate.place_of_value(told, value) for value in told["values"]]
    away = _withdrawn(archive.pk for archive in present.values())
    now = current.read_current_values(told, places, present, [(first, beyond) for first, beyond, *_ in away])
    pairs = list(_paired(told, places, now, present))
    moved = {one.configuration for number, _, one in pairs if one and not _same_configuration(told, number, one)}
    configurations = Configuration.objects.in_bulk(moved) if moved else {}
    return sorted(
        (change for number, archive, one in pairs if (change := _change(told, number, archive, one, away, configurations))),
        key=lambda one: one.number,
    )


def _paired(told: Mapping, places: list, now: Mapping, present: Mapping[str, Archive]) -> Iterable[tuple]:
    """(number, archive, value of today or None) of every frozen value whose archive is public.

    Of several alike on one line (the parts of a run) the same value is the same one; what is left is taken in order.
    """
    frozen: dict[tuple, list[int]] = {}
    for number, value in enumerate(told["values"]):
        archive, path, line = places[number]
        digest = told["archives"][str(archive)]["sha256"]
        if digest in present:
            stat = told["workloads"][str(value["workload"])]["stat"]
            frozen.setdefault((digest, path, line, value["metric"], value["native"], stat), []).append(number)
    for key, numbers in frozen.items():
        left, waiting = list(now.get(key, ())), []
        for number in numbers:
            same = next((one for one in left if one.value == told["values"][number]["measured"]), None)
            if same is None:
                waiting.append(number)
            else:
                left.remove(same)
                yield number, present[key[0]], same
        yield from ((number, present[key[0]], left[at] if at < len(left) else None) for at, number in enumerate(waiting))


def _withdrawn(archives: Iterable[int]) -> list[tuple[int, int, str, str]]:
    """(first, beyond, day, reason) of what is taken out of these archives."""
    return [
        (one.first, one.beyond, _day(one.made_at), one.reason)
        for one in Withdrawal.objects.active().filter(archive__in=archives)
        if one.beyond > one.first
    ]


def _change(
    told: Mapping, number: int, archive: Archive, now: CurrentValue | None, away: list, configurations: Mapping[int, Configuration]
) -> ValueChange | None:
    value = told["values"][number]
    _, path, line = plate.place_of_value(told, value)
    then = f"{plate.printed_value(value)} ({shown.exact(value['measured'])} {value['unit']})"
    read = _day(archive.read_at) if archive.read_at else ""

    def changed(kind: str, text: str, when: str = read) -> ValueChange:
        return ValueChange(number, kind, f"{path}:{line}", value["metric"], then, text, when)

    if now is None:
        return changed(GONE, "nothing")
    out = next(((when, reason) for first, beyond, when, reason in away if first <= now.id < beyond), None)
    if out:
        return changed(WITHDRAWN, out[1], out[0])
    if now.value != value["measured"]:
        percent = f", {shown.number(100 * (now.value / value['measured'] - 1))} %" if value["measured"] else ""
        printed = plate.printed_value({"raw": now.raw, "raw_unit": now.raw_unit})
        return changed(CORRECTED, f"{printed} ({shown.exact(now.value)} {value['unit']}{percent})")
    if _same_configuration(told, number, now):
        return None
    differs = _configuration_differs(told, value, now, configurations)
    return changed(ELSEWHERE, differs) if differs else None


def _same_configuration(told: Mapping, number: int, now: CurrentValue) -> bool:
    run = told["runs"][str(told["values"][number]["run"])]
    return run["configuration"] == now.configuration and run["config_exact"] == now.exact


def _configuration_differs(told: Mapping, value: Mapping, now: CurrentValue, configurations: Mapping[int, Configuration]) -> str:
    run = told["runs"][str(value["run"])]
    then = {**told["configurations"][str(run["configuration"])], **run["config_exact"]}
    row = configurations[now.configuration]
    today = {key.name: getattr(row, key.column) for key in KEYS.values() if getattr(row, key.column) is not None}
    today |= now.exact
    return "; ".join(
        f"{name}: {_told(then, name)} \u2192 {_told(today, name)}"
        for name in sorted({*then, *today})
        if then.get(name) != today.get(name)
    )


def _told(config: Mapping[str, Any], name: str) -> str:
    return str(config[name]) if name in config else "not told"
