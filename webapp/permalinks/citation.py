"""Citations of a permalink or collection for its page: text styles, sources and JSON-LD, with the current DOI."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.utils.safestring import SafeString, mark_safe

from ingest.catalogue import METRICS
from webapp.formats import workbook
from webapp.formats.citations import entries, jsonld
from webapp.formats.citations.licences import licence_address
from webapp.formats.citations.work import CitedWork, work_of_record
from webapp.models import Doi
from webapp.permalinks.history import History, describe_later
from webapp.storage.locks import lock_writes

# DOIs that owners entered for permalinks and collections. The latest applies; frozen files never contain one.

_SHAPE = re.compile(r"10\.\d{4,9}(?:\.\d+)*/[!-~]+", re.ASCII)
_BEFORE = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.I)
MAX_LENGTH = 200


class InvalidDoi(ValueError):
    """The text is not a DOI."""


def parse_doi(typed: str) -> str:
    """The bare DOI, without a `doi:` or `https://doi.org/` prefix; '' for an empty text. Raises InvalidDoi."""
    text = _BEFORE.sub("", typed.strip(), count=1)
    if text and (len(text) > MAX_LENGTH or not _SHAPE.fullmatch(text) or any(sign in text for sign in '<>"{}|\\^`')):
        raise InvalidDoi(typed)
    return text


def read_doi(name: str) -> str:
    """The current DOI of a permalink or collection, '' without one. One query."""
    return Doi.objects.filter(of=name).order_by("-pk").values_list("doi", flat=True).first() or ""


def save_doi(name: str, doi: str, user) -> None:
    """Set the DOI of a permalink or collection ('' removes it). Takes the write lock: cached pages become stale."""
    with transaction.atomic():
        lock_writes()
        Doi.objects.create(of=name, doi=doi, entered_by=user)


ITEMS = (
    (".json", "application/json", "Record"),
    (".csv", "text/csv", "Data"),
    (".xlsx", workbook.MEDIA_TYPE, "Tables, XLSX"),
    (".zip", "application/zip", "Evidence bundle"),
)
DRAWN = ((".svg", "image/svg+xml", "Figure, SVG"), (".pdf", "application/pdf", "Figure, PDF"), (".png", "image/png", "Figure, PNG"))


@dataclass(frozen=True, slots=True)
class CitedSource:
    """An underlying archive: its citation in one line, its licence and the licence's address."""

    line: str
    licence: str
    address: str


@dataclass(frozen=True, slots=True)
class PageCitation:
    """Citation data of the page. `plain`: (style, text); `image`: address of the preview or ''."""

    work: CitedWork
    plain: list[tuple[str, str]]
    sources: list[CitedSource]
    json_ld: SafeString
    image: str


def cite_permalink(record: dict[str, Any], digest: str, address: str, doi: str, past: History) -> PageCitation:
    """The citations of a permalink; `address` is the address of the request."""
    work = replace(work_of_record(record, digest, doi), address=address)
    work = describe_later(work, past, address.rsplit("/p/", 1)[0])
    items = [*ITEMS, *(DRAWN if record["figures"] else ())]
    files = [(address + ending, kind, name) for ending, kind, name in items]
    measured = [
        (METRICS[name].label if name in METRICS else name, unit)
        for name, unit in dict.fromkeys((value["metric"], value["unit"]) for value in record["values"])
    ]
    return _page_citation(work, files, measured, f"{address}.png" if record["figures"] else "")


def cite_collection(record: dict[str, Any], digest: str, address: str, doi: str, withdrawn: str = "") -> PageCitation:
    """The citations of a collection; its items are the record, the bundle and the pages of its figures. `withdrawn`: a sentence
    where sources have been withdrawn."""
    site = address.rsplit("/c/", 1)[0]
    work = work_of_record(record, digest, doi)
    work = replace(
        work,
        address=address,
        withdrawn=withdrawn,
        parts=tuple(
            replace(part, address=f"{site}/p/{figure['id']}") for part, figure in zip(work.parts, record["figures"], strict=True)
        ),
    )
    files = [(address + ending, kind, name) for ending, kind, name in ITEMS if ending not in (".csv", ".xlsx")]
    return _page_citation(work, files, [], f"{work.parts[0].address}.png")


def _page_citation(work: CitedWork, files: list[tuple[str, str, str]], measured: list[tuple[str, str]], image: str) -> PageCitation:
    json_ld = jsonld.to_script_json(jsonld.dataset(work, files, measured))
    return PageCitation(
        work,
        [(label, entries.cite_in_style(work, name)) for name, label in entries.STYLES.items()],
        [CitedSource(entries.cite_archive(source), source.licence, licence_address(source.licence)) for source in work.based_on],
        mark_safe(json_ld),  # noqa: S308 made of escaped parts
        image,
    )
