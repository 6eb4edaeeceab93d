"""The evidence bundle of a permalink: a zip file that is an RO-Crate and brings its own check with it.

It is made once, when everything that belongs in it is there, and kept; the same parts give the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from django.db import transaction

from webapp.formats import captions, frozen_files, tidy, workbook, workbook_cells
from webapp.formats.citations import crate, datacite, entries
from webapp.formats.citations.crate import CratePart
from webapp.formats.citations.work import CitedWork, work_of_record
from webapp.formats.sheets import to_csv
from webapp.models import Collection, Permalink, Rendering
from webapp.permalinks import record_figures, rendering, sources, stored_files
from webapp.permalinks.bundles import manifest, readme, redo, verify

_ROOT = Path(__file__).resolve().parents[3]
NAME, MEDIA_TYPE = manifest.BUNDLE, "application/zip"
FOLDERS = {
    "excerpts/": "The lines that the values stand on, each with three lines around: number, tabulator, text",
    "figures/": "The figure as drawn when it was frozen",
    "citation/": "How to cite it, in several formats",
    "code/": "What verify.py makes the tables again with",
}
TABLES = {
    "groups.csv": "Every group a row: statistics, and what may be said against the baseline",
    "flags.csv": "The legend of the codes in the column flags",
    "files.csv": "Every source file a row, with its archive and licence",
    "points.csv": "Every drawn point a row, in the figure's unit",
}
CODE = (
    "webapp/figures/notes.py",
    "webapp/figures/stamp.py",
    "webapp/formats/frozen.py",
    "webapp/formats/frozen_files.py",
    "webapp/formats/latex.py",
    "webapp/formats/latex_table.py",
    "webapp/formats/sheets.py",
    "webapp/formats/tidy.py",
    "webapp/formats/workbook_cells.py",
    "webapp/formatting/numbers.py",
)
"""Modules that verify.py makes files anew with: Python 3.8, the standard library, and each other."""

CITATIONS = {
    "citation.bib": ("application/x-bibtex", entries.to_bibtex),
    "citation-biblatex.bib": ("application/x-bibtex", entries.to_biblatex),
    "citation.ris": ("application/x-research-info-systems", entries.to_ris),
    "citation.csl.json": ("application/vnd.citationstyles.csl+json", entries.to_csl),
    "citation.txt": ("text/plain; charset=utf-8", entries.to_plain_text),
    "CITATION.cff": ("text/yaml; charset=utf-8", entries.to_cff),
    "datacite.xml": ("application/vnd.datacite.datacite+xml", lambda work: datacite.to_datacite(work).decode()),
    "zenodo.json": ("application/json", datacite.to_zenodo),
}
"""File name -> media type and formatter of every citation file."""
_KINDS = {
    **{name: kind for name, (kind, _) in CITATIONS.items()},
    ".svg": rendering.SVG,
    ".pdf": rendering.PDF,
    ".png": rendering.PNG,
    ".tex": rendering.TEX,
    ".csv": "text/csv",
    ".xlsx": workbook.MEDIA_TYPE,
    ".md": "text/markdown",
    ".html": "text/html",
    ".txt": "text/plain",
    ".py": "text/x-python",
    crate.METADATA: "application/ld+json",
    ".json": "application/json",
}
"""Name endings of the bundle's files -> media type, the longest first."""


def cited_work(link: Permalink | Collection, digests: manifest.Digests, doi: str = "") -> CitedWork:
    """The permalink or collection as a citable work, with the digest that its citations print."""
    work = work_of_record(record_figures.parse_record(link.record), digests.cited, doi)
    covers = "evidence bundle" if digests.is_bundle_cited and digests.bundle else "record"
    return replace(work, record_digest=digests.record, covers=covers, is_drawn=bool(digests.bundle))


def make_citation(
    link: Permalink | Collection,
    name: str,
    digests: manifest.Digests,
    doi: str = "",
    describe: Callable[[CitedWork], CitedWork] = lambda work: work,
) -> CratePart:
    """A citation file. `describe`: adds what is known only later. Raises KeyError for an unknown name."""
    return _citation(name, describe(cited_work(link, digests, doi)))


def _citation(name: str, work: CitedWork) -> CratePart:
    kind, make = CITATIONS[name]
    path = name if name == "CITATION.cff" else f"citation/{name}"
    return CratePart(path, make(work).encode(), kind, "How to cite this")


def make_citations(link: Permalink | Collection, bundle: str) -> list[CratePart]:
    """The citation files of a bundle with this digest."""
    work = cited_work(link, manifest.Digests(link.digest, bundle, True))
    return [_citation(name, work) for name in CITATIONS]


def get_data_csv(link: Permalink) -> Rendering:
    """The stored CSV file: a row for every frozen repetition."""
    return stored_files.get_or_store(
        link.pk,
        "data.csv",
        "text/csv; charset=utf-8",
        lambda: tidy.to_tables(record_figures.parse_record(link.record), link.digest)["data.csv"].encode(),
    )


def get_workbook(link: Permalink) -> Rendering:
    """The stored workbook with groups, values, codes, files and what they are of. Records of any version have one."""
    return stored_files.get_or_store(link.pk, verify.WORKBOOK, workbook.MEDIA_TYPE, lambda: _make_workbook(link))


def _make_workbook(link: Permalink) -> bytes:
    record = record_figures.parse_record(link.record)
    sheets = tidy.to_sheets(record, link.digest)
    return workbook.to_workbook(sheets, record["title"], datetime.fromisoformat(record["frozen_at"]))


def make_missing_files(link: Permalink) -> None:
    """Make and store every missing file of the permalink, except the bundle."""
    rendering.render_all(link)
    get_data_csv(link)
    get_workbook(link)


def get_bundle(link: Permalink) -> Rendering:
    """The stored bundle; made and stored now where missing."""
    existing = stored_files.find_file(link.pk, NAME)
    if existing is not None:
        return existing
    make_missing_files(link)
    return store_bundle(link, bundle_parts(link))


def store_bundle(link: Permalink | Collection, parts: list[CratePart]) -> Rendering:
    """Store the bundle and its manifest together; returns the stored bundle."""
    made = zip_parts(parts, record_figures.parse_record(link.record)["frozen_at"])
    listed = next(part for part in parts if part.path == manifest.NAME)
    with transaction.atomic():
        stored_files.store_file(link.pk, manifest.NAME, listed.media_type, listed.data)
        return stored_files.store_file(link.pk, NAME, MEDIA_TYPE, made)


def bundle_parts(link: Permalink) -> list[CratePart]:
    """Every file of the bundle, sorted by path."""
    record = record_figures.parse_record(link.record)
    tables = tidy.to_tables(record, link.digest)
    parts = [
        CratePart("record.json", bytes(link.record), "application/json", "The frozen record, in canonical JSON (RFC 8785)"),
        CratePart("configurations.csv", configurations_csv(record), "text/csv", "Every configuration, a row for each key"),
        *(CratePart(name, tables[name].encode(), "text/csv", about) for name, about in TABLES.items() if name in tables),
        CratePart("verify.py", Path(verify.__file__).read_bytes(), "text/x-python", "The check: python3 -I verify.py"),
        CratePart(
            "redo.py", Path(redo.__file__).read_bytes(), "text/x-python", "Every centre again from data.csv: python3 -I redo.py"
        ),
        CratePart("README.txt", readme.readme_text(record, link.digest).encode(), "text/plain", "What this is: see, check, redo"),
        CratePart(
            "ARTIFACT.md", readme.checklist(record, link.digest).encode(), "text/markdown", "What it proves for artifact badges"
        ),
        *code_parts(),
        *excerpt_parts(record),
        *_stored_parts(link),
        *_caption_parts(link, record),
    ]
    work = cited_work(link, manifest.Digests(link.digest, link.digest, False))

    def describe(files: list[CratePart]) -> CratePart:
        data = crate.metadata(work, files, _folders(files))
        return CratePart(crate.METADATA, data, "application/ld+json", "The description of this crate")

    return manifest.seal(parts, partial(make_citations, link), describe, link.digest)


def code_parts() -> list[CratePart]:
    """The modules that verify.py makes files anew with."""
    return [CratePart(f"code/{path}", (_ROOT / path).read_bytes(), "text/x-python", "Part of the check") for path in CODE]


def _folders(parts: Iterable[CratePart]) -> dict[str, str]:
    return {path: about for path, about in FOLDERS.items() if any(part.path.startswith(path) for part in parts)}


def _stored_parts(link: Permalink) -> list[CratePart]:
    """The stored files of the permalink: data and figures. Citations of earlier versions are made anew."""
    out = []
    for file in Rendering.objects.filter(of=link.pk).exclude(name__in=(NAME, manifest.NAME, *CITATIONS)).order_by("name"):
        path, about = f"figures/{file.name}", "The figure as drawn when it was frozen"
        if file.name == "data.csv":
            path, about = file.name, "Every frozen repetition a row"
        if file.name == verify.WORKBOOK:
            path, about = file.name, "The tables as a workbook: groups, values, codes, files, about"
        out.append(CratePart(path, bytes(file.data), file.media_type, about))
    return out


def _caption_parts(link: Permalink, record: Mapping[str, Any]) -> list[CratePart]:
    """The caption in three forms, beside the files that it is of; bundles made before captions were have none."""
    if not record["figures"]:
        return []
    caption, described = captions.make_caption(record, link.digest), rendering.describe_figures(record["figures"])
    texts = {
        "caption.tex": captions.to_latex_figure(caption, rendering.pdf_name(85), described),
        "caption.md": captions.to_markdown(caption, rendering.svg_name(180), described),
        "caption.html": captions.to_html(caption),
    }
    return [CratePart(f"figures/{name}", text.encode(), _media_type(name), "The caption") for name, text in texts.items()]


def excerpt_parts(record: Mapping[str, Any]) -> list[CratePart]:
    """A text file of excerpts for each source file."""
    out = []
    for number, file in record["files"].items():
        text = "".join(f"{line}\t{words}\n" for line, words in sorted(file["lines"].items(), key=_in_order))
        archive = record["archives"][str(file["archive"])]["title"]
        about = f"Lines of {file['path']} of the archive {archive}"
        out.append(CratePart(f"excerpts/file-{number}.txt", text.encode(), "text/plain", about, sources.swhid_of(record, file)))
    return out


def _in_order(item: tuple[str, str]) -> tuple[int, str]:
    return (int(item[0]) if item[0].isdigit() else 0, item[0])


def configurations_csv(record: Mapping[str, Any]) -> bytes:
    """CSV with the configuration of every run: key, value, file and source line."""
    rows: list[list[object]] = [["run", "configuration", "key", "value", "file", "told_at"]]
    for number, run in record["runs"].items():
        config = {**record["configurations"][str(run["configuration"])], **run["config_exact"]}
        path = record["files"][str(run["file"])]["path"]
        rows += [
            [number, run["configuration"], key, value, path, run["config_from"].get(key, "")]
            for key, value in sorted(config.items())
        ]
    return to_csv(rows).encode()


def zip_parts(parts: Iterable[CratePart], frozen_at: str) -> bytes:
    """A reproducible zip file of the parts, in the given order, with the record's time as every file's time."""
    when = (
        int(frozen_at[:4]),
        int(frozen_at[5:7]),
        int(frozen_at[8:10]),
        int(frozen_at[11:13]),
        int(frozen_at[14:16]),
        int(frozen_at[17:19]),
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for part in parts:
            info = zipfile.ZipInfo(part.path, when)
            info.compress_type, info.external_attr, info.create_system = zipfile.ZIP_DEFLATED, 0o644 << 16, 3
            archive.writestr(info, part.data)
    return out.getvalue()


class StoredPart(NamedTuple):
    """A file of a stored bundle."""

    path: str
    data: bytes
    media_type: str


def unzip_bundle(link: Permalink) -> list[StoredPart]:
    """Every file of the stored bundle."""
    with zipfile.ZipFile(io.BytesIO(bytes(get_bundle(link).data))) as archive:
        return [StoredPart(name, archive.read(name), _media_type(name)) for name in archive.namelist()]


def _media_type(path: str) -> str:
    return next((kind for ending, kind in _KINDS.items() if path.endswith(ending)), "application/octet-stream")


class CheckedPermalink(NamedTuple):
    """Its problems, the number of its values, and of those that were taken as recorded."""

    problems: list[str]
    values: int
    recorded: int


def check_permalink(link: Permalink) -> CheckedPermalink:
    """A stored permalink by the checks of verify.py, and the digests of all stored files."""
    record = json.loads(bytes(link.record))
    problems, recorded = verify.check(record, {number: file["lines"] for number, file in record["files"].items()})
    problems += verify.figure_problems(record)
    problems += [*_find_unlike_tables(link, record), *check_digests(link)]
    return CheckedPermalink(problems, len(record["values"]), recorded)


def _find_unlike_tables(link: Permalink, record: Mapping[str, Any]) -> list[str]:
    """Stored tables that do not follow from the record. Earlier records have tables of several forms: their digests alone are
    checked."""
    if record["version"] < tidy.FIRST_VERSION:
        return []
    made = {path.removeprefix("figures/"): text.encode() for path, text in frozen_files.make_texts(record, link.digest).items()}
    problems = []
    for file in Rendering.objects.filter(of=link.pk, name__in=[*made, verify.WORKBOOK]).iterator():
        data = bytes(file.data)
        follows = (
            workbook_cells.holds(data, tidy.to_sheets(record, link.digest))
            if file.name == verify.WORKBOOK
            else data == made[file.name]
        )
        problems += [] if follows else [f"{file.name} does not follow from the record"]
    return problems


def check_digests(link: Permalink | Collection) -> list[str]:
    """Problems: the record or a stored file whose SHA-256 is not the stored digest."""
    problems = []
    if hashlib.sha256(bytes(link.record)).hexdigest() != link.digest:
        problems.append(f"the record has not the digest {link.digest}")
    for file in Rendering.objects.filter(of=link.pk).iterator():
        if file.name == manifest.NAME:
            problems += manifest.find_differences(link, file)
        if hashlib.sha256(bytes(file.data)).hexdigest() != file.sha256:
            problems.append(f"{file.name} has not the digest {file.sha256}")
    return problems
