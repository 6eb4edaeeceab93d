"""Contents of the pages of studies: frozen figures, measured systems, configurations without results, doubts."""

from __future__ import annotations

import json
import mimetypes
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from django.contrib.auth.models import AnonymousUser
from django.db.models import F
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from ingest.keys import KEYS
from webapp.comparison.selection import parse
from webapp.comparison.summary.reader import read_json
from webapp.files.addresses import line_address
from webapp.formats.citations import jsonld
from webapp.formats.citations.work import CitedWork, is_local, parse_authors
from webapp.formatting import numbers
from webapp.http import isolation
from webapp.http.pagination import paginate
from webapp.models import Archive, DataVersion, EvidenceRow, Note, StudyFigure
from webapp.models.run import WITHOUT_RESULTS
from webapp.pages.drawings import Drawing
from webapp.permalinks import freeze, history, record_figures
from webapp.permalinks.frozen_addresses import Origin
from webapp.studies import queries, registry
from webapp.studies.registry import Study
from webapp.systems.describe import format_value

MAX_LISTED = 200
MAX_MEASURED = 100
"""Configurations of an archive whose systems are listed."""


@dataclass(frozen=True, slots=True)
class GalleryFigure:
    """A comparison in the gallery; without permalink and drawings where it is not frozen."""

    link: registry.StudyLink
    permalink: str
    drawings: list[Drawing]
    caption: str
    note: str = ""
    """Shown in the place of drawings that cannot be made."""


@dataclass(frozen=True, slots=True)
class MeasuredSystem:
    """One operating system, computer and file system, the tools used there, and the number of values; modelled ones excluded."""

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
    figures = StudyFigure.objects.filter(study=study.name).select_related("permalink")
    permalinks = {figure.query: figure.permalink for figure in figures}
    records = dict(
        isolation.map_isolated(
            "record of a plate",
            permalinks.items(),
            lambda item: (item[0], record_figures.parse_record(item[1].record)),
            which=lambda item: item[1].pk,
        )
    )
    named = {int(archive) for record in records.values() for archive in record["archives"]}
    linked = set(queries.public_archives_of(study.name).filter(pk__in=named).values_list("pk", flat=True)) if named else set()

    def make(item: tuple[int, registry.StudyLink]) -> GalleryFigure:
        number, link = item
        if link.query not in permalinks:
            return GalleryFigure(link, "", [], "")
        record = records[link.query]
        name = permalinks[link.query].pk
        drawings = [
            replace(drawing, id=f"plate-{number}-{drawing.id}")
            for drawing in _main_drawings(record_figures.draw_record(record, linked, f"/p/{name}.svg"))
        ]
        return GalleryFigure(link, name, drawings, record["caption"])

    def make_note(item: tuple[int, registry.StudyLink]) -> GalleryFigure:
        _, link = item
        return GalleryFigure(link, permalinks[link.query].pk, [], "", isolation.FAILURE_NOTE)

    return isolation.map_isolated("plate", enumerate(study.comparisons), make, make_note, which=lambda item: item[1].query)


def _main_drawings(drawings: list[Drawing]) -> list[Drawing]:
    """Without the second metric of a scatter plot by itself, which its page has."""
    return [drawing for drawing in drawings if drawing.figure.get("kind") == "scatter"] or drawings


def list_frozen_across() -> list[tuple[registry.StudyLink, str]]:
    """Comparisons between studies, each with its permalink or an empty text. One query."""
    permalinks = dict(StudyFigure.objects.filter(study="").values_list("query", "permalink_id"))
    return [(link, permalinks.get(link.query, "")) for link in registry.comparisons_across()]


def freeze_missing(owner, origin: Origin) -> Iterable[str]:
    """Freeze the comparisons of the public studies that are not frozen yet, and yield the heading of each before that.

    A figure whose record names no design was frozen before sets were controlled, and one with a local address before there was
    a public one: a next version takes its place, and its permalink stays as it is.
    """
    public = {archive.study: archive for archive in Archive.objects.public().exclude(study="").owned_by(owner).order_by("-pk")}
    older = {(figure.study, figure.query): figure.permalink for figure in StudyFigure.objects.select_related("permalink")}
    known = {key for key, permalink in older.items() if _is_current(record_figures.parse_record(permalink.record), origin)}
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
            # Without studies that others have published.
            selection = selection.changed(studies=tuple(sorted(public.keys() & registry.shipped_studies().keys())))
        draft = freeze.draft_comparison(selection, AnonymousUser(), title, archive.authors if archive else "")
        previous = older.get((name, link.query))
        if previous is not None and history.read_versions(previous)[1] is not None:
            previous = None
        frozen = freeze.freeze_draft(draft, owner, origin, previous)
        StudyFigure.objects.update_or_create(study=name, query=link.query, defaults={"permalink": frozen})
    if missing:
        DataVersion.objects.update(number=F("number") + 1)


def _is_current(record: Mapping[str, Any], origin: Origin) -> bool:
    """Whether a figure was frozen by today's rules, and under a public address if there is one."""
    has_host = not record["address"].startswith("/")
    return "design" in record and (has_host or not origin.site) and (origin.is_local or not is_local(record))


def read_measured_systems(archives: list[int], most: int = MAX_MEASURED) -> tuple[list[MeasuredSystem], bool]:
    """The systems of the `most` most measured configurations of each archive; whether an archive has more. One query."""
    truncated = False
    usage_by_system: dict[_System, _Usage] = {}
    for *columns, tools, origins, n, has_more in queries.read_measured_configurations(archives, most):
        truncated = truncated or has_more
        usage = usage_by_system.setdefault(_System(*columns), _Usage())
        usage.tools.update(read_json(tools))
        usage.origins.update(origin for origin in read_json(origins) if origin != "model")
        usage.values += n or 0
    systems = sorted(usage_by_system.items(), key=lambda item: [(part is None, part) for part in item[0]])
    return [_describe_system(system, usage) for system, usage in systems if usage.values], truncated


class _System(NamedTuple):
    """What configurations have in common that are listed as one system."""

    os: str | None
    os_family: str | None
    host: str | None
    cpu: str | None
    memory: int | None
    file_system: str | None
    layout: str | None


@dataclass(slots=True)
class _Usage:
    """What was measured on a system."""

    tools: set[str] = field(default_factory=set)
    origins: set[str] = field(default_factory=set)
    values: int = 0


def _describe_system(system: _System, usage: _Usage) -> MeasuredSystem:
    computer = [system.host if system.cpu is None else "", system.cpu, numbers.size(system.memory) if system.memory else ""]
    return MeasuredSystem(
        system.os or system.os_family or "",
        ", ".join(filter(None, computer)),
        ", ".join(filter(None, (system.file_system, system.layout))),
        ", ".join(sorted(usage.tools)),
        ", ".join(sorted(usage.origins)),
        numbers.count(usage.values),
    )


def read_without_results(
    archives: list[int], after: str | None = None
) -> tuple[list[tuple[str, list[tuple[str, str]]]], str | None]:
    """(name, settings) of configurations that manifests state without results; and the token of the next page. One query."""
    stated = EvidenceRow.objects.filter(WITHOUT_RESULTS, archive__in=archives)
    rows, further = paginate(stated, after, ("archive_id", "id"), MAX_LISTED, rising=True)
    statements = [json.loads(row.value) for row in rows]
    return [(statement.pop("name", ""), _format_settings(statement)) for statement in statements], further


def _format_settings(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(KEYS[key].label, format_value(KEYS[key].type, value)) for key, value in settings.items()]


def read_doubts(archives: list[int], after: str | None = None) -> tuple[list[StudyDoubt], str | None]:
    """Contradictions within the source and doubts of its reader, with lines; and the token of the next page. One query."""
    notes = Note.objects.filter(archive__in=archives, code__in=("conflict", "disagree", "stated-doubt"))
    page, further = paginate(notes, after, ("archive_id", "code", "id"), MAX_LISTED, rising=True)
    doubts: dict[str, StudyDoubt] = {}
    for note in page:
        place = (f"{note.path}:{note.line}", line_address(note.archive_id, note.path, note.line))
        doubts.setdefault(note.message, StudyDoubt(note.message, [])).places.append(place)
    return list(doubts.values()), further


# A study as search engines and link previews read it.


def study_picture(study: Study) -> str:
    """The path of a picture of its featured comparison, else of the first one; '' without any."""
    links = _featured_first(study)
    return f"{reverse('compare-png')}?{links[0].query}" if links else ""


def list_pictures(studies: Iterable[Study]) -> dict[str, tuple[registry.StudyLink, str]]:
    """By the name of each study, its featured comparison, else its first one, and the path of that figure as the server draws it:
    as it was frozen, where it was. One query."""
    chosen = {study.name: _featured_first(study)[0] for study in studies if study.comparisons}
    figures = StudyFigure.objects.filter(study__in=chosen).values_list("study", "query", "permalink_id")
    frozen = {(study, query): reverse("permalink-svg", args=[permalink]) for study, query, permalink in figures}
    return {name: (link, frozen.get((name, link.query), f"{reverse('compare-svg')}?{link.query}")) for name, link in chosen.items()}


def _featured_first(study: Study) -> list[registry.StudyLink]:
    return sorted(study.comparisons, key=lambda link: not link.featured)


def study_json_ld(
    study: Study,
    first: Archive,
    archives: Sequence[Archive],
    measured: Iterable[MeasuredSystem],
    make_address: Callable[[str], str],
) -> SafeString:
    """JSON-LD of the study and of the archives on its page. `make_address`: the address of a path on this site."""
    work = CitedWork(
        study.name,
        str(first),
        parse_authors(first.authors),
        date(first.year, 1, 1) if first.year else first.uploaded_at.date(),
        make_address(reverse("study", args=[study.name])),
        licence=first.licence,
        abstract=study.abstract or first.description,
        published_in=first.published_in,
        is_year_known=bool(first.year),
    )
    files = [
        (make_address(reverse("archive-download", args=[archive.pk])), _media_type(archive.name), str(archive))
        for archive in archives
    ]
    tools = sorted({tool for row in measured for tool in row.tools.split(", ") if tool})
    return mark_safe(jsonld.to_script_json(jsonld.study(work, files, tools)))  # noqa: S308 made of escaped parts


def _media_type(name: str) -> str:
    kind, encoding = mimetypes.guess_type(name)
    return f"application/{encoding}" if encoding else kind or "application/octet-stream"
