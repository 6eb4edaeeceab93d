"""Numbered outputs beside a log of labels, for the review page: which labels were taken, and which are offered to be stated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ingest import numbered_outputs
from ingest.keys import KEYS
from ingest.records import FILE
from ingest.spelling import spell_value
from webapp.archives.statements import StatementScope, active_statements
from webapp.files.addresses import line_address
from webapp.models import Archive, EvidenceRow, Note

_MAX_SHOWN = 20  # of each kind


@dataclass(frozen=True, slots=True)
class NumberedPair:
    """An output, and the label line that may belong to it. `values`: key -> text, as a person would type it."""

    path: str
    label: str
    address: str
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class NumberedOffer:
    """Outputs that may follow the labels of a log. `note`: id of the warning that says so."""

    note: int
    message: str
    pairs: list[NumberedPair]

    @property
    def values_by_scope(self) -> dict[StatementScope, Mapping[str, str]]:
        """What is stated if the offer is taken: the values of its label for each file."""
        return {StatementScope(FILE, pair.path): pair.values for pair in self.pairs}


def read_taken(archive: Archive, counts: Mapping[str, int]) -> list[str]:
    """Sentences about labels that apply to numbered outputs. `counts`: warnings of the archive by code. No query without any."""
    return [note.message for note in _notes(archive, numbered_outputs.TAKEN)] if counts.get(numbered_outputs.TAKEN) else []


def read_offers(archive: Archive, counts: Mapping[str, int]) -> list[NumberedOffer]:
    """Offers that are not stated yet. `counts` as for `read_taken`. No query without any."""
    if not counts.get(numbered_outputs.OFFERED):
        return []
    offers = [offer for note in _notes(archive, numbered_outputs.OFFERED) if (offer := _offer(archive, note)).pairs]
    stated = {(fact.path, fact.key): fact.value for fact in active_statements(archive) if fact.reach == FILE}
    return [offer for offer in offers if not all(_is_stated(pair, stated) for pair in offer.pairs)]


def find_offer(archive: Archive, note: int | None) -> NumberedOffer | None:
    """The offer of that warning, also if it is stated already."""
    row = archive.notes.filter(code=numbered_outputs.OFFERED, pk=note).first() if note else None
    return _offer(archive, row) if row else None


def _notes(archive: Archive, code: str):
    return archive.notes.filter(code=code).order_by("id")[:_MAX_SHOWN]


def _is_stated(pair: NumberedPair, stated: Mapping[tuple[str, str], object]) -> bool:
    return all(stated.get((pair.path, key)) == spell_value(key, text) for key, text in pair.values.items())


def _offer(archive: Archive, note: Note) -> NumberedOffer:
    """The pairs of the series that the warning names, by the labels of its log."""
    folder, slash, _ = note.path.rpartition("/")
    files = archive.files.filter(path__startswith=folder + slash) if folder else archive.files.exclude(path__contains="/")
    paths = [path for path in files.values_list("path", flat=True) if path.rpartition("/")[0] == folder]
    series = next((one for one in numbered_outputs.find_series(paths) if note.message.startswith(f"{one.title} may ")), None)
    labels = _label_lines(archive, note.path) if series else []
    pairs = [
        NumberedPair(series.paths[place], label, line_address(archive.pk, note.path, line), values)
        for place, (line, label, values) in enumerate(labels)
        if series and place in series.paths and values
    ]
    return NumberedOffer(note.pk, note.message, pairs)


def _label_lines(archive: Archive, path: str) -> list[tuple[int, str, dict[str, str]]]:
    """(line, its text, key -> value) of each label line of a log, in line order."""
    rows = EvidenceRow.objects.filter(archive=archive, path=path, scope="line").order_by("id")
    lines: dict[int, tuple[str, dict[str, str]]] = {}
    for row in rows:
        if row.line.isdecimal():
            _, values = lines.setdefault(int(row.line), (row.raw, {}))
            if row.key in KEYS and spell_value(row.key, row.value) is not None:
                values[row.key] = row.value
    return [(line, *lines[line]) for line in sorted(lines)]
