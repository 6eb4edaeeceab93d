"""What an owner states about an archive: kept as history, resolved with the evidence when the archive is read again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from ingest.records import ARCHIVE, RUNS, StatedFact
from ingest.spelling import spell_value
from webapp.models import Archive, Statement


@dataclass(frozen=True, slots=True)
class StatementScope:
    """Where a statement holds; see `ingest.records.StatedFact`."""

    reach: str = ARCHIVE
    path: str = ""
    lines: tuple[int | str, ...] = ()


class InvalidStatement(ValueError):
    """Values that are none of their keys: `wrong` is key -> what was typed."""

    def __init__(self, wrong: Mapping[str, str]) -> None:
        super().__init__(", ".join(wrong))
        self.wrong = dict(wrong)


def normalise_values(told: Mapping[str, str]) -> dict[str, object]:
    """Key -> value as the registry spells it. Raises Misstated where one is no value of its key."""
    values = {key: spell_value(key, raw) for key, raw in told.items()}
    wrong = {key: told[key] for key, value in values.items() if value is None}
    if wrong:
        raise InvalidStatement(wrong)
    return values


def state(
    archive_id: int, by, told: Mapping[str, str], places: Iterable[StatementScope], send: Callable[[int], object]
) -> list[Statement]:
    """Keep what is stated for each place, and have the archive read again. `told`: key -> text as typed.

    What is stated so already is not stated again. Raises Misstated before anything is kept.
    """
    values = normalise_values(told)
    with transaction.atomic():
        archive = Archive.objects.select_for_update().get(pk=archive_id)
        held = {(s.key, s.reach, s.path, tuple(s.lines)): s.value for s in _holding(archive)}
        made = [
            Statement(
                archive=archive,
                key=key,
                value=value,
                raw=told[key],
                reach=place.reach,
                path=place.path,
                lines=list(place.lines),
                made_by=by,
            )
            for place in places
            for key, value in values.items()
            if held.get((key, place.reach, place.path, place.lines)) != value
        ]
        Statement.objects.bulk_create(made)
        if made:
            _request_reading(archive, send)
    return made


def undo_statement(archive_id: int, statement_id: int, by, send: Callable[[int], object]) -> Statement:
    """Undo a statement and have the archive read again. Raises Statement.DoesNotExist."""
    with transaction.atomic():
        archive = Archive.objects.select_for_update().get(pk=archive_id)
        made = archive.statements.get(pk=statement_id)
        if made.undone_at is None:
            made.undone_at, made.undone_by = timezone.now(), by
            made.save(update_fields=["undone_at", "undone_by"])
            _request_reading(archive, send)
    return made


def active_statements(archive: Archive) -> list[StatedFact]:
    """What holds, in the order in which it was stated, as `ingest.read` takes it. No query where nothing ever was."""
    if not archive.stated_version:
        return []
    return [StatedFact(s.key, s.value, s.reach, s.path, frozenset(s.lines)) for s in _holding(archive)]


def _holding(archive: Archive):
    return archive.statements.filter(undone_at__isnull=True).order_by("pk")


def _request_reading(archive: Archive, send: Callable[[int], object]) -> None:
    """The state is the order. Who reads it right now finds the version changed when storing, and reads once more."""
    Archive.objects.filter(pk=archive.pk).update(stated_version=F("stated_version") + 1)
    Archive.objects.filter(pk=archive.pk).exclude(state=Archive.State.READING).update(
        state=Archive.State.RECEIVED, attempts=0, failure=""
    )
    transaction.on_commit(lambda: send(archive.pk), robust=True)


def scopes_of_runs(runs: Iterable[tuple[str, str]]) -> list[StatementScope]:
    """One place for each file of the selected runs, given as (path, first line)."""
    lines: dict[str, set[int | str]] = {}
    for path, line in runs:
        lines.setdefault(path, set()).add(int(line) if line.isdecimal() else line)
    return [StatementScope(RUNS, path, tuple(sorted(some, key=str))) for path, some in sorted(lines.items())]
