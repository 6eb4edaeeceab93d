"""What the pages of the studies show beside their texts: frozen figures, what was measured on what, doubts."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl

from django.contrib.auth.models import AnonymousUser
from django.db.models import F

from ingest.keys import KEYS
from webapp.comparison.selection import parse
from webapp.comparison.summary.reader import read_json
from webapp.files.addresses import line_address
from webapp.formatting import numbers
from webapp.http import isolation
from webapp.http.pagination import paginate
from webapp.models import Archive, DataVersion, EvidenceRow, Note, StudyFigure
from webapp.models.run import WITHOUT_RESULTS
from webapp.pages.drawings import Drawing
from webapp.permalinks import freeze, plate
from webapp.studies import queries, registry
from webapp.systems.describe import format_value

_LISTED = 200


@dataclass(frozen=True, slots=True)
class GalleryFigure:
    """A comparison as the gallery shows it; `permalink` is empty and nothing is drawn where it was not frozen."""

    link: registry.StudyLink
    permalink: str
    drawings: list[Drawing]
    caption: str
    note: str = ""
    """What is shown in the place of drawings that cannot be made."""


@dataclass(frozen=True, slots=True)
class MeasuredSystem:
    """What was measured on what: one operating system, computer and file system, with the tools used there. Nothing calculated."""

    system: str
    computer: str
    storage: str
    tools: str
    origins: str
    values: str


@dataclass(frozen=True, slots=True)
class StudyDoubt:
    """`places`: (FILE:LINE, address of the line) of every value that it concerns."""

    message: str
    places: list[tuple[str, str]]


def make_gallery(study: registry.Study) -> list[GalleryFigure]:
    """The study's comparisons, drawn from their frozen records. Two queries, however many there are."""
    found = {figure.query: figure.permalink for figure in StudyFigure.objects.filter(study=study.name).select_related("permalink")}
    records = dict(
        isolation.map_isolated(
            "record of a plate", found.items(), lambda one: (one[0], plate.told(one[1].record)), which=lambda one: one[1].pk
        )
    )
    named = {int(archive) for told in records.values() for archive in told["archives"]}
    linked = set(queries.public_archives_of(study.name).filter(pk__in=named).values_list("pk", flat=True)) if named else set()
    return isolation.map_isolated(
        "plate",
        list(enumerate(study.comparisons)),
        lambda one: (
            _plate(*one, found[one[1].query].pk, records[one[1].query], linked)
            if one[1].query in found
            else GalleryFigure(one[1], "", [], "")
        ),
        lambda one: GalleryFigure(one[1], found[one[1].query].pk, [], "", isolation.FAILURE_NOTE),
        which=lambda one: one[1].query,
    )


def _plate(at: int, link: registry.StudyLink, permalink: str, told: dict, linked: Collection[int]) -> GalleryFigure:
    drawings = [replace(drawing, id=f"plate-{at}-{drawing.id}") for drawing in plate.drawings(told, linked)]
    return GalleryFigure(link, permalink, drawings, told["caption"])


def list_frozen_across() -> list[tuple[registry.StudyLink, str]]:
    """Comparisons between studies, each with its permalink or an empty text. One query."""
    found = dict(StudyFigure.objects.filter(study="").values_list("query", "permalink_id"))
    return [(link, found.get(link.query, "")) for link in registry.comparisons_across()]


def freeze_missing(owner, site: str = "") -> Iterable[str]:
    """Freeze what the public studies compare and is not frozen yet; the heading of each before it is.

    `site` is the scheme and host under which this copy is reached, where that is known: it stands in every file for ever.
    """
    public = {a.study: a for a in Archive.objects.public().exclude(study="").owned_by(owner).order_by("-pk")}
    known = set(StudyFigure.objects.values_list("study", "query"))
    wanted = [(name, link) for name, study in registry.shipped_studies().items() if name in public for link in study.comparisons]
    if public:
        wanted += [("", link) for link in registry.comparisons_across()]
    missing = [(name, link) for name, link in wanted if (name, link.query) not in known]
    for name, link in missing:
        yield link.title
        archive = public.get(name)
        title = f"{link.title}: {archive}" if archive else link.title
        selection = parse(parse_qsl(link.query))
        if archive is None:
            # What strangers have published meanwhile has no place in what the studies say of each other.
            selection = selection.changed(studies=tuple(sorted(public.keys() & registry.shipped_studies().keys())))
        made = freeze.draft(selection, AnonymousUser(), title, archive.authors if archive else "")
        StudyFigure.objects.create(study=name, query=link.query, permalink=freeze.freeze(made, owner, site))
    if missing:
        DataVersion.objects.update(number=F("number") + 1)


def read_measured_systems(archives: list[int], most: int = 200) -> tuple[list[MeasuredSystem], bool]:
    """What the most measured configurations of each archive have alike, `most` of each; whether one has more. One query."""
    more = False
    found: dict[tuple, tuple[set[str], set[str], list[int]]] = {}
    for *alike, told, sources, n, has_more in queries.measured(archives, most):
        more = more or has_more
        tools, origins, values = found.setdefault(tuple(alike), (set(), set(), []))
        tools.update(read_json(told))
        origins.update(origin for origin in read_json(sources) if origin != "model")
        values.append(n or 0)
    rows = sorted(found.items(), key=lambda item: [(part is None, part) for part in item[0]])
    return [_measured(alike, tools, origins, sum(values)) for alike, (tools, origins, values) in rows if sum(values)], more


def _measured(alike: tuple, tools: set[str], origins: set[str], values: int) -> MeasuredSystem:
    system, family, host, cpu, memory, storage, layout = alike
    computer = [host if cpu is None else "", cpu, numbers.size(memory) if memory else ""]
    return MeasuredSystem(
        system or family or "",
        ", ".join(filter(None, computer)),
        ", ".join(filter(None, (storage, layout))),
        ", ".join(sorted(tools)),
        ", ".join(sorted(origins)),
        numbers.count(values),
    )


def read_without_results(
    archives: list[int], after: str | None = None
) -> tuple[list[tuple[str, list[tuple[str, str]]]], str | None]:
    """Configurations that the manifests state without a result, name and settings; and the mark of more. One query."""
    stated = EvidenceRow.objects.filter(WITHOUT_RESULTS, archive__in=archives)
    rows, further = paginate(stated, after, ("archive_id", "id"), _LISTED, rising=True)
    told = [json.loads(row.value) for row in rows]
    return [(one.pop("name", ""), [_setting(key, value) for key, value in one.items()]) for one in told], further


def _setting(key: str, value) -> tuple[str, str]:
    return KEYS[key].label, format_value(KEYS[key].type, value)


def read_doubts(archives: list[int], after: str | None = None) -> tuple[list[StudyDoubt], str | None]:
    """Where the source contradicts itself or its reader doubts it, with the line; and the mark of more. One query."""
    rows = Note.objects.filter(archive__in=archives, code__in=("conflict", "disagree", "stated-doubt"))
    some, further = paginate(rows, after, ("archive_id", "code", "id"), _LISTED, rising=True)
    found: dict[str, StudyDoubt] = {}
    for note in some:
        place = (f"{note.path}:{note.line}", line_address(note.archive_id, note.path, note.line))
        found.setdefault(note.message, StudyDoubt(note.message, [])).places.append(place)
    return list(found.values()), further
