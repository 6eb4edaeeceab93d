"""Numbers in names, for the review page: outputs beside a log of labels, whose labels were taken or are offered to be stated; and
numbers that may be levels of compression or repetitions, with both answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ingest import numbered_outputs, path_clues
from ingest.keys import KEYS, spell_value
from ingest.records import FILE, FOLDER
from webapp.archives.statements import StatementScope, active_statements
from webapp.files.addresses import line_address
from webapp.models import Archive, EvidenceRow, Note

_MAX_SHOWN = 20  # of each kind
YES, NO = "yes", "no"

_CODES = (numbered_outputs.OFFERED, path_clues.AMBIGUOUS)


@dataclass(frozen=True, slots=True)
class NumberedPair:
    """An output, or a folder of them, and the label line that may belong to it. `values`: key -> text, as a person types it, if
    the answer is yes."""

    path: str
    label: str
    address: str
    values: Mapping[str, str]
    reach: str = FILE


@dataclass(frozen=True, slots=True)
class NumberedOffer:
    """Outputs that may follow the labels of a log, or the numbers in their names. `note`: id of the warning that says so.
    `answers`: what each button sends, and says; `otherwise`: the values of each pair if the answer is no."""

    note: int
    message: str
    pairs: list[NumberedPair]
    answers: Mapping[str, str] = field(default_factory=lambda: {YES: "Confirm and save"})
    otherwise: Mapping[str, str] = field(default_factory=dict)

    def values_by_scope(self, answer: str) -> dict[StatementScope, Mapping[str, str]]:
        """What is stated for each file or folder by an answer."""
        return {StatementScope(pair.reach, pair.path): self.otherwise if answer == NO else pair.values for pair in self.pairs}


def read_taken(archive: Archive, counts: Mapping[str, int]) -> list[str]:
    """Sentences about labels that apply to numbered outputs. `counts`: warnings of the archive by code. No query without any."""
    return [note.message for note in _notes(archive, numbered_outputs.TAKEN)] if counts.get(numbered_outputs.TAKEN) else []


def read_offers(archive: Archive, counts: Mapping[str, int]) -> list[NumberedOffer]:
    """Offers that are not stated yet. `counts` as for `read_taken`. No query without any."""
    codes = [code for code in _CODES if counts.get(code)]
    if not codes:
        return []
    offers = [offer for code in codes for note in _notes(archive, code) if (offer := _offer(archive, note)).pairs]
    stated = {(fact.path, fact.key): fact.value for fact in active_statements(archive) if fact.reach in (FILE, FOLDER)}
    return [offer for offer in offers if not all(_is_stated(offer, pair, stated) for pair in offer.pairs)]


def find_offer(archive: Archive, note: int | None) -> NumberedOffer | None:
    """The offer of that warning, also if it is stated already."""
    row = archive.notes.filter(code__in=_CODES, pk=note).first() if note else None
    return _offer(archive, row) if row else None


def _notes(archive: Archive, code: str):
    return archive.notes.filter(code=code).order_by("id")[:_MAX_SHOWN]


def _is_stated(offer: NumberedOffer, pair: NumberedPair, stated: Mapping[tuple[str, str], object]) -> bool:
    """Whether one of the answers is stated of a pair."""
    known = {key: stated.get((pair.path, key)) for key in pair.values}
    answers = [pair.values, *([offer.otherwise] if offer.otherwise else [])]
    return any(known == {key: spell_value(key, text) for key, text in answer.items()} for answer in answers)


def _offer(archive: Archive, note: Note) -> NumberedOffer:
    """The pairs of the series that the warning names, by the labels of its log or the numbers in its names."""
    if note.code == path_clues.AMBIGUOUS:
        return _level_offer(archive, note)
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


def _level_offer(archive: Archive, note: Note) -> NumberedOffer:
    """Both readings of the numbers that the warning is about: one of its names is that of its file, or of a folder of it."""
    paths = list(archive.files.values_list("path", flat=True))
    for question in path_clues.NumbersInNames(paths).questions.values():
        own = any(f"{note.path}/".startswith(f"{part}/") for part in question.parts.values())
        if own and note.message.startswith(f"{question.title} may "):
            pairs = [
                NumberedPair(
                    part,
                    f"{question.algorithm}-{number}",
                    line_address(archive.pk, part, 1) if part in paths else "",
                    {"pool.compression": f"{question.algorithm}-{number}"},
                    FILE if part in paths else FOLDER,
                )
                for number, part in sorted(question.parts.items())
            ]
            answers = {YES: "Levels of compression", NO: f"Repetitions of {question.algorithm}"}
            return NumberedOffer(note.pk, note.message, pairs, answers, {"pool.compression": question.algorithm})
    return NumberedOffer(note.pk, note.message, [])


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
