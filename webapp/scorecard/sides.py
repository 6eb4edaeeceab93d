"""The two sides of a scorecard: what an address names, and its rows in the summary."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from webapp.comparison import facets
from webapp.comparison.question import Question, ask
from webapp.comparison.rows import RowSource
from webapp.comparison.selection import Selection, parse
from webapp.comparison.summary import reader
from webapp.comparison.summary.columns import Columns
from webapp.comparison.summary.row import SummaryRow, UnmeasuredRow

KINDS = ("archive", "configuration", "system", "study", "host")
"""What a side can name by `KIND:VALUE`; several of one kind are separated by commas."""
_FILTER = re.compile(r",(?=[a-z][\w.+-]*=)")


class BadSide(ValueError):
    """A side of an address that names nothing, with what was wrong and what to write instead."""


@dataclass(frozen=True)
class CardSide:
    """One side. `text`: as the address has it; `question`: the archives that it covers for this reader, and its filters."""

    text: str
    question: Question

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
        return facets.RowFilter(self.selection).passing(self.source.read_columns(tuple(metrics))) if metrics else Columns([])

    def read_rows(self, metrics: Sequence[str]) -> list[SummaryRow]:
        return self.read_columns(metrics).rows

    def read_unmeasured(self, metrics: Sequence[str], name: str) -> list[UnmeasuredRow]:
        """The runs without a number of these metrics, as ones of the source `name`."""
        rows = self.source.read_absent(tuple(metrics)).unmeasured
        summaries = [row.as_summary() for row in rows]
        passing = facets.RowFilter(self.selection).passing(Columns(summaries)).rows if summaries else []
        kept = {id(row) for row in passing}
        return [
            replace(row, texts=reader.texts_of_source(row.texts, name))
            for row, summary in zip(rows, summaries, strict=True)
            if id(summary) in kept
        ]


def read_side(text: str, viewer: Any, version: int, *, exact: bool = False) -> CardSide:
    """The side that a text names: `archive:12`, `host:stor01`, `study:io500`, or filters (`fs=zfs,os=Debian`). `exact`: with every
    value.

    BadSide where it cannot be understood, or where this reader sees nothing of it. At most one query.
    """
    selection = parse_side(text)
    question = ask(selection, viewer, version=version, exact=exact)
    scopes = question.scopes
    if scopes.withdrawn:
        raise BadSide("; ".join(f"{reason} was withdrawn" for reason in scopes.withdrawn.values()))
    if scopes.missing:
        raise BadSide(f"There is no archive {scopes.missing[0]}, or it is not yours to see.")
    if scopes.missing_studies:
        raise BadSide(f"There is no study {scopes.missing_studies[0]}.")
    return CardSide(text, question)


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
            f"{wrong[:200]!r} names no side: write {', '.join(f'{one}:...' for one in KINDS)}, or filters such as fs=zfs,os=Debian."
        )
    return selection
