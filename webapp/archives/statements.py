"""Statements of owners about their archives: kept as history, and resolved with the evidence when an archive is read again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F, JSONField, QuerySet, Value
from django.utils import timezone

from ingest.keys import spell_value
from ingest.records import ARCHIVE, RUNS, TAKE, StatedFact
from webapp.models import Archive, Statement
from webapp.storage.machines import STATED as MACHINE
from webapp.storage.machines import machine_host

_NOTHING = object()
MOST_NAME = 200  # characters of the name of a machine


@dataclass(frozen=True, slots=True)
class StatementScope:
    """What a statement applies to; see `ingest.records.StatedFact`."""

    reach: str = ARCHIVE
    path: str = ""
    lines: tuple[int | str, ...] = ()


class InvalidStatement(ValueError):
    """Values that their keys do not allow: `wrong` is key -> text as typed."""

    def __init__(self, wrong: Mapping[str, str]) -> None:
        super().__init__(", ".join(wrong))
        self.wrong = dict(wrong)


Typed = Mapping[str, Any]
"""Key -> text as typed; None: evidence of the key is to be ignored. That of TAKE may be a mapping, and is stored as it is."""
IGNORED = "ignored"
"""In place of what is typed, in a statement without a value."""


def normalise_values(typed: Typed) -> dict[str, object]:
    """Key -> value as the registry spells it, or None. Raises InvalidStatement where a key does not allow its value."""
    values = {key: None if raw is None else _spell(key, raw) for key, raw in typed.items()}
    wrong = {key: raw for key, raw in typed.items() if raw is not None and values[key] is None}
    if wrong:
        raise InvalidStatement(wrong)
    return values


def _spell(key: str, raw: str) -> object:
    """None where the key does not allow the value; the machine of a host is called as its owner likes."""
    if key == TAKE:
        return raw
    if key != MACHINE:
        return spell_value(key, raw)
    return raw.strip() if machine_host(raw) and len(raw) <= MOST_NAME and raw.isprintable() else None


def add_statements(
    archive_id: int, by, typed: Typed, scopes: Iterable[StatementScope], send: Callable[[int], object]
) -> list[Statement]:
    """Store the values for each scope, and have the archive read again.

    Statements in force are not repeated. Raises InvalidStatement before anything is stored.
    """
    return add_statements_by_scope(archive_id, by, dict.fromkeys(scopes, typed), send)


def add_statements_by_scope(
    archive_id: int, by, typed_by_scope: Mapping[StatementScope, Typed], send: Callable[[int], object]
) -> list[Statement]:
    """As `add_statements`, with values of its own for each scope."""
    values_by_scope = {scope: normalise_values(typed) for scope, typed in typed_by_scope.items()}
    with transaction.atomic():
        archive = Archive.objects.select_for_update().get(pk=archive_id)
        in_force = {(s.key, s.reach, s.path, tuple(s.lines)): s.value for s in _in_force(archive)}
        now = timezone.now()
        statements = [
            Statement(
                archive=archive,
                key=key,
                value=Value(None, JSONField()) if value is None else value,  # None alone would be the NULL of SQL
                raw=_write_raw(typed_by_scope[scope][key]),
                reach=scope.reach,
                path=scope.path,
                lines=list(scope.lines),
                made_by=by,
                made_at=now,
            )
            for scope, values in values_by_scope.items()
            for key, value in values.items()
            if in_force.get((key, scope.reach, scope.path, scope.lines), _NOTHING) != value
        ]
        Statement.objects.bulk_create(statements)
        if statements:
            _request_reading(archive, send)
    return statements


def _write_raw(typed: str | Mapping[str, Any] | None) -> str:
    if not isinstance(typed, Mapping):
        return typed or IGNORED
    return "; ".join(f"{name}: {', '.join(value) if isinstance(value, list) else value}" for name, value in typed.items())


def undo_statement(archive_id: int, statement_id: int, by, send: Callable[[int], object]) -> Statement:
    """Undo a statement, with those `saved_together`, and have the archive read again. Raises Statement.DoesNotExist."""
    with transaction.atomic():
        archive = Archive.objects.select_for_update().get(pk=archive_id)
        statement = archive.statements.get(pk=statement_id)
        if saved_together(archive, statement).filter(undone_at__isnull=True).update(undone_at=timezone.now(), undone_by=by):
            statement.refresh_from_db()
            _request_reading(archive, send)
    return statement


def saved_together(archive: Archive, statement: Statement) -> QuerySet[Statement]:
    """What was saved at once: the same value of the same key for several places; all keys that are to be ignored."""
    found = archive.statements.filter(raw=statement.raw, made_at=statement.made_at)
    return found if statement.value is None else found.filter(key=statement.key)


def active_statements(archive: Archive) -> list[StatedFact]:
    """The statements in force, in the order in which they were made, as `ingest.read` takes them. No query without any."""
    if not archive.stated_version:
        return []
    return [StatedFact(s.key, s.value, s.reach, s.path, frozenset(s.lines)) for s in _in_force(archive)]


def _in_force(archive: Archive):
    return archive.statements.filter(undone_at__isnull=True).order_by("pk")


def _request_reading(archive: Archive, send: Callable[[int], object]) -> None:
    """Set the state by which the task reads it. A reading in progress finds the version changed when storing, and reads again."""
    Archive.objects.filter(pk=archive.pk).update(stated_version=F("stated_version") + 1)
    Archive.objects.filter(pk=archive.pk).exclude(state=Archive.State.READING).update(
        state=Archive.State.RECEIVED, attempts=0, failure=""
    )
    transaction.on_commit(lambda: send(archive.pk), robust=True)


def scopes_of_runs(runs: Iterable[tuple[str, str]]) -> list[StatementScope]:
    """One scope for each file of the selected runs, given as (path, first line)."""
    lines: dict[str, set[int | str]] = {}
    for path, line in runs:
        lines.setdefault(path, set()).add(int(line) if line.isdecimal() else line)
    return [StatementScope(RUNS, path, tuple(sorted(numbers, key=str))) for path, numbers in sorted(lines.items())]
