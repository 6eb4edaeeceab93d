"""The two sides of a scorecard: what an address names, and its rows in the summary.

A label, a permalink and *last accepted* stand for archives, as they are when it is asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from webapp.accounts import access
from webapp.comparison import search
from webapp.comparison.question import ComparisonScopes, Question, ask, find_originals
from webapp.comparison.selection import Selection, parse
from webapp.comparison.summary import reader
from webapp.comparison.summary.columns import Columns
from webapp.comparison.summary.row import SummaryRow, UnmeasuredRow
from webapp.comparison.summary.source import RowSource
from webapp.models import Archive, FrozenSource, Withdrawal

KINDS = ("archive", "configuration", "system", "study", "host")
"""What a side can name by `KIND:VALUE`; several of one kind are separated by commas."""
NAMES = ("label:NAME=VALUE", "permalink:NAME", "last-accepted")
"""How a side can name archives by what they are known by; the last one stands for an archive of the other side's machine."""
MAX_LABELLED = 200
"""Archives of a label that are compared, the newest ones."""
_PERMALINK = re.compile(r"(?:permalink:|(?:https?://[^/\s]+)?/p/)([^/?#.\s]+)\S*")
_FILTER = re.compile(r",(?=[a-z][\w.+-]*=)")


class BadSide(ValueError):
    """A side of an address that names nothing, with what was wrong and what to write instead."""


@dataclass(frozen=True)
class CardSide:
    """One side. `text`: as the address has it; `question`: the archives that it covers for this reader, and its filters; `notes`:
    sentences about what a name does not stand for any more, or not yet."""

    text: str
    question: Question
    notes: tuple[str, ...] = ()
    is_named: bool = False
    """Whether the text is a name that stands for archives."""

    @property
    def selection(self) -> Selection:
        return self.question.selection

    @property
    def archives(self) -> tuple[int, ...]:
        return self.selection.archives

    @cached_property
    def source(self) -> RowSource:
        return RowSource(self.question.version, self.question.scopes)

    def read_columns(self, metrics: Sequence[str]) -> Columns:
        """The rows of these metrics that pass the filters, without values."""
        return search.RowFilter(self.selection).passing(self.source.read_columns(tuple(metrics))) if metrics else Columns([])

    def read_unmeasured(self, metrics: Sequence[str], name: str) -> list[UnmeasuredRow]:
        """The runs without a number of these metrics, as ones of the source `name`."""
        rows = self.source.read_absent(tuple(metrics)).unmeasured
        summaries = [row.as_summary() for row in rows]
        passing = search.RowFilter(self.selection).passing(Columns(summaries)).rows if summaries else []
        kept = {id(row) for row in passing}
        return [
            replace(row, texts=reader.texts_of_source(row.texts, name))
            for row, summary in zip(rows, summaries, strict=True)
            if id(summary) in kept
        ]


def read_sides(a: str, b: str, viewer: Any, version: int, *, exact: bool = False) -> tuple[CardSide, CardSide]:
    """Both sides, the second one without the archives of the first where it names archives by a label. As `read_side`."""
    new = read_side(a, viewer, version, exact=exact)
    return new, read_side(b, viewer, version, exact=exact, new=new.archives)


def read_side(text: str, viewer: Any, version: int, *, exact: bool = False, new: Sequence[int] = ()) -> CardSide:
    """The side that a text names: `archive:12`, `host:stor01`, `study:io500`, filters (`fs=zfs,os=Debian`), or one of `NAMES`.
    `exact`: with every value. `new`: archives of the side that stands beside it.

    BadSide where it cannot be understood, or where this reader sees nothing of it. At most one query, four for names.
    """
    named = _find_named(text, viewer, new)
    if named is not None and not named.archives:
        nothing = Question(Selection(), viewer, version, ComparisonScopes((), {}, frozenset()), exact=exact)
        return CardSide(text, nothing, named.notes, True)
    selection = parse_side(text) if named is None else Selection(archives=named.archives)
    question = ask(selection, viewer, version=version, exact=exact)
    scopes = question.scopes
    if scopes.withdrawn:
        raise BadSide("; ".join(f"Withdrawn and not compared: {reason}" for reason in scopes.withdrawn.values()))
    if scopes.missing:
        raise BadSide(f"There is no archive {scopes.missing[0]}, or it is not yours to see.")
    if scopes.missing_studies:
        raise BadSide(f"There is no study {scopes.missing_studies[0]}.")
    return CardSide(text, question, named.notes if named else (), named is not None)


class _Named(NamedTuple):
    """The archives that a name stands for, and what is to be said about it."""

    archives: tuple[int, ...]
    notes: tuple[str, ...] = ()


def _find_named(text: str, viewer: Any, new: Sequence[int]) -> _Named | None:
    """What one of `NAMES` stands for; None for another side. BadSide as in `read_side`."""
    if text == "last-accepted":
        return _find_accepted(viewer, new)
    if link := _PERMALINK.fullmatch(text):
        return _find_frozen(link[1], viewer)
    kind, _, value = text.partition(":")
    return _find_labelled(value, viewer, new) if kind == "label" else None


def _find_labelled(text: str, viewer: Any, new: Sequence[int]) -> _Named:
    """The viewer's archives with all of these labels (of one name with any value), else those of the owner of the new ones; where
    there are no new ones, of everybody."""
    wanted: dict[str, list[str]] = {}
    for part in _FILTER.split(text):
        name, equals, value = part.partition("=")
        if not (name and equals):
            raise BadSide(f"{part[:200]!r} is no label: write label:NAME=VALUE, as label:branch=main.")
        wanted.setdefault(name, []).append(value)
    every = Archive.objects.comparable_by(viewer).exclude(pk__in=new)
    for name, values in wanted.items():
        every = every.labelled(name, *values)
    found: list[int] = []
    for archives in (every.standing_of(viewer), every.of_owners_of(new) if new else every):
        # One more than are compared, to say that there are more.
        found = found or list(archives.order_by("-pk").values_list("pk", flat=True)[: MAX_LABELLED + 1])
    if not found:
        return _Named((), (f"No {'other ' if new else ''}archive that you may compare has the label {text[:200]}.",))
    notes = (f"Of the label {text[:200]} the newest {MAX_LABELLED} archives are compared.",) if len(found) > MAX_LABELLED else ()
    return _Named(tuple(sorted(found[:MAX_LABELLED])), notes)


def _find_accepted(viewer: Any, new: Sequence[int]) -> _Named:
    """The newest accepted archive with runs on a machine of the new ones."""
    if not new:
        raise BadSide("last-accepted is an accepted archive of the first side's machine: name an archive first, as a=archive:12.")
    accepted = Archive.objects.accepted().comparable_by(viewer).exclude(pk__in=new).on_machines_of(new)
    newest = accepted.order_by("-pk").values_list("pk", flat=True)[:1]
    return _Named(tuple(newest), () if newest else ("No archive of this machine was accepted yet.",))


def _find_frozen(name: str, viewer: Any) -> _Named:
    """The archives whose values a permalink holds, as they are now."""
    sources = FrozenSource.objects.filter(permalink=name).values_list("archive", flat=True)
    if not sources:
        raise BadSide(f"There is no permalink {name[:40]}.")
    compared = tuple(Archive.objects.comparable_by(viewer).filter(pk__in=sources).order_by("pk").values_list("pk", flat=True))
    withdrawals = Withdrawal.objects.active().filter(archive__in=access.visible_archives(viewer).filter(pk__in=sources))
    partly, wholly = Counter[int](), dict[int, str]()
    for archive, what, reason in withdrawals.values_list("archive", "what", "reason").order_by("archive"):
        if what == Withdrawal.What.ARCHIVE:
            wholly[archive] = f"Archive {archive} of the permalink {name} was withdrawn: {reason}"
        elif archive in compared:
            partly[archive] += 1
    notes = [*wholly.values(), *(_say_partly(archive, count) for archive, count in partly.items())]
    if gone := len(sources) - len({*compared, *wholly}):
        of = f"{gone} of the {len(sources)} archives of the permalink {name}"
        notes.append(f"{of} cannot be compared: deleted, or not yours to see.")
    if not compared:
        raise BadSide(" ".join(notes))
    return _Named(compared, tuple(notes))


def _say_partly(archive: int, count: int) -> str:
    return f"Of archive {archive} {'a file or value was' if count == 1 else f'{count} files or values were'} withdrawn."


def with_originals(side: CardSide) -> CardSide:
    """A side on which nothing counts, with a note of the archives that had its outputs first. At most one query."""
    originals = find_originals(side.archives, side.question.viewer) if side.archives else {}
    note = f"The outputs of {side.text} count in archive {' and '.join(map(str, originals))}, which had them first: compare that."
    return replace(side, notes=(*side.notes, note)) if originals else side


def fill_rows(sides: Sequence[CardSide], rows: Sequence[list[SummaryRow]]) -> list[list[SummaryRow]]:
    """The rows of each side with their values. At most one query."""
    scopes = [side.question.scopes.base for side in sides]
    return reader.fill_values(list(zip(scopes, rows, strict=True)))


def parse_side(text: str) -> Selection:
    """The filters of a side. BadSide for a text that is not understood."""
    kind, colon, value = text.partition(":")
    if kind in KINDS and colon and "=" not in kind:
        pairs = [(kind, one.strip()) for one in ([value] if kind == "host" else value.split(","))]
    else:
        pairs = [(name.strip(), value.strip()) for name, _, value in (part.partition("=") for part in _FILTER.split(text))]
    selection = parse(pairs)
    if selection.strange or not (selection.filters or selection.archives or selection.studies) or selection.axes:
        wrong = "=".join(selection.strange[0]) if selection.strange else text
        raise BadSide(
            f"{wrong[:200]!r} names no side: write {', '.join([*(f'{one}:...' for one in KINDS), *NAMES])}, or filters such as "
            "fs=zfs,os=Debian."
        )
    return selection
