"""The evidence bundle of a permalink: a zip file that is an RO-Crate and brings its own check with it.

It is made once, when everything that belongs in it is there, and kept; the same parts give the same bytes.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from webapp.formats import bib, citations, crate, datacite, frozen
from webapp.formats.crate import CratePart
from webapp.formats.sheets import escape_row
from webapp.formats.work import CitedWork, work_of_record
from webapp.models import Collection, Permalink, Rendering
from webapp.permalinks import plate, rendering, stored_files
from webapp.permalinks.bundles import verify

NAME, MEDIA_TYPE = "bundle.zip", "application/zip"
FOLDERS = {
    "excerpts/": "The lines that the values stand on, each with three lines around: number, tabulator, text",
    "figures/": "The figure as drawn when it was frozen",
    "citation/": "How to cite it, in several formats",
}

CITATIONS = {
    "citation.bib": ("application/x-bibtex", bib.to_bibtex),
    "citation-biblatex.bib": ("application/x-bibtex", bib.to_biblatex),
    "citation.ris": ("application/x-research-info-systems", citations.to_ris),
    "citation.csl.json": ("application/vnd.citationstyles.csl+json", citations.to_csl),
    "citation.txt": ("text/plain; charset=utf-8", citations.to_text),
    "CITATION.cff": ("text/yaml; charset=utf-8", citations.to_cff),
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
    ".txt": "text/plain",
    ".py": "text/x-python",
    crate.METADATA: "application/ld+json",
    ".json": "application/json",
}
"""Name endings of the bundle's files -> media type, the longest first."""


def cited_work(link: Permalink | Collection, doi: str = "") -> CitedWork:
    """The permalink or collection as a citable work."""
    return work_of_record(plate.parse_record(link.record), link.digest, doi)


def get_citation(link: Permalink | Collection, name: str) -> Rendering:
    """The stored citation file, without a later DOI. Raises KeyError for an unknown name."""
    kind, make = CITATIONS[name]
    return stored_files.get_or_store(link.pk, name, kind, lambda: make(cited_work(link)).encode())


def get_data_csv(link: Permalink) -> Rendering:
    """The stored CSV file: a row for every frozen repetition."""
    return stored_files.get_or_store(
        link.pk, "data.csv", "text/csv; charset=utf-8", lambda: frozen.to_csv(plate.parse_record(link.record), link.digest).encode()
    )


def make_missing_files(link: Permalink) -> None:
    """Make and store every missing file of the permalink, except the bundle."""
    rendering.render_all(link)
    get_data_csv(link)
    for name in CITATIONS:
        get_citation(link, name)


def get_bundle(link: Permalink) -> Rendering:
    """The stored bundle; made and stored now where missing."""
    existing = stored_files.find_file(link.pk, NAME)
    if existing is not None:
        return existing
    make_missing_files(link)
    return stored_files.get_or_store(
        link.pk, NAME, MEDIA_TYPE, lambda: zip_parts(bundle_parts(link), plate.parse_record(link.record)["frozen_at"])
    )


def bundle_parts(link: Permalink) -> list[CratePart]:
    """Every file of the bundle, sorted by path, then `checksums.txt` with the SHA-256 of the others."""
    record = plate.parse_record(link.record)
    parts = [
        CratePart("record.json", bytes(link.record), "application/json", "The frozen record, in canonical JSON (RFC 8785)"),
        CratePart("digest.txt", f"{link.digest}\n".encode(), "text/plain", "SHA-256 of record.json"),
        CratePart("configurations.csv", configurations_csv(record), "text/csv", "Every configuration, a row for each key"),
        CratePart("verify.py", Path(verify.__file__).read_bytes(), "text/x-python", "The check: python3 verify.py"),
        CratePart("README.txt", readme_text(record, link.digest).encode(), "text/plain", "What this is and how to check it"),
        *excerpt_parts(record),
        *_stored_parts(link),
    ]
    parts.append(
        CratePart(
            crate.METADATA,
            crate.metadata(cited_work(link), parts, _folders(parts)),
            "application/ld+json",
            "The description of this crate",
        )
    )
    parts.sort(key=lambda part: part.path)
    sums = "".join(f"{hashlib.sha256(part.data).hexdigest()}  {part.path}\n" for part in parts)
    return [*parts, CratePart("checksums.txt", sums.encode(), "text/plain", "SHA-256 of every other file")]


def _folders(parts: Iterable[CratePart]) -> dict[str, str]:
    return {path: about for path, about in FOLDERS.items() if any(part.path.startswith(path) for part in parts)}


def _stored_parts(link: Permalink) -> list[CratePart]:
    """The stored files of the permalink: data, citations and figures."""
    out = []
    for file in Rendering.objects.filter(of=link.pk).exclude(name=NAME).order_by("name"):
        if file.name == "data.csv":
            path, about = file.name, "Every frozen repetition a row"
        elif file.name == "CITATION.cff":
            path, about = file.name, "How to cite this, for GitHub and others"
        elif file.name in CITATIONS:
            path, about = f"citation/{file.name}", "How to cite this"
        else:
            path, about = f"figures/{file.name}", "The figure as drawn when it was frozen"
        out.append(CratePart(path, bytes(file.data), file.media_type, about))
    return out


def excerpt_parts(record: Mapping[str, Any]) -> list[CratePart]:
    """A text file of excerpts for each source file."""
    out = []
    for number, file in record["files"].items():
        text = "".join(f"{line}\t{words}\n" for line, words in sorted(file["lines"].items(), key=_in_order))
        archive = record["archives"][str(file["archive"])]["title"]
        out.append(
            CratePart(
                f"excerpts/file-{number}.txt", text.encode(), "text/plain", f"Lines of {file['path']} of the archive {archive}"
            )
        )
    return out


def _in_order(item: tuple[str, str]) -> tuple[int, str]:
    return (int(item[0]) if item[0].isdigit() else 0, item[0])


def configurations_csv(record: Mapping[str, Any]) -> bytes:
    """CSV with the configuration of every run: key, value, file and source line."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\r\n")
    write.writerow(["run", "configuration", "key", "value", "file", "told_at"])
    for number, run in record["runs"].items():
        config = {**record["configurations"][str(run["configuration"])], **run["config_exact"]}
        path = record["files"][str(run["file"])]["path"]
        for key, value in sorted(config.items()):
            write.writerow(escape_row([number, run["configuration"], key, value, path, run["config_from"].get(key, "")]))
    return out.getvalue().encode()


def readme_text(record: Mapping[str, Any], digest: str) -> str:
    """README.txt: what the bundle contains and how to verify it."""
    return (
        f"{record['title'] or 'Frozen comparison'}\n{record['authors']}\n\n{record['caption']}\n\n"
        f"Frozen on {record['frozen_at']} as {record['address']}\nSHA-256 of record.json: {digest}\n\n"
        "To check all of it without a network:  python3 verify.py\n"
        "To be sure that it is the record of the page, give it the digest that the page or the paper prints:\n"
        f"  python3 verify.py {digest}\n\n"
        "record.json            everything, in canonical JSON (RFC 8785)\n"
        "data.csv               every repetition a row\n"
        "configurations.csv     what each run was measured on, and the line that tells it\n"
        "excerpts/              the lines that the values stand on, three lines around each\n"
        "figures/  citation/    the figure as drawn; how to cite it\n"
        "ro-crate-metadata.json what every file is (RO-Crate 1.1)\n"
    )


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


def unzip_bundle(link: Permalink) -> list[tuple[str, bytes, str]]:
    """(path, bytes, media type) of every file of the stored bundle."""
    with zipfile.ZipFile(io.BytesIO(bytes(get_bundle(link).data))) as archive:
        return [(name, archive.read(name), _media_type(name)) for name in archive.namelist()]


def _media_type(path: str) -> str:
    return next((kind for ending, kind in _KINDS.items() if path.endswith(ending)), "application/octet-stream")


def check_permalink(link: Permalink) -> tuple[list[str], int, int]:
    """(problems, values, values taken as recorded) of a stored permalink: the checks of verify.py, and the digests of
    all stored files."""
    record = json.loads(bytes(link.record))
    problems, recorded = verify.check(record, {number: file["lines"] for number, file in record["files"].items()})
    return problems + check_digests(link), len(record["values"]), recorded


def check_digests(link: Permalink | Collection) -> list[str]:
    """Problems: the record or a stored file whose SHA-256 is not the stored digest."""
    problems = []
    if hashlib.sha256(bytes(link.record)).hexdigest() != link.digest:
        problems.append(f"the record has not the digest {link.digest}")
    for file in Rendering.objects.filter(of=link.pk).iterator():
        if hashlib.sha256(bytes(file.data)).hexdigest() != file.sha256:
            problems.append(f"{file.name} has not the digest {file.sha256}")
    return problems
