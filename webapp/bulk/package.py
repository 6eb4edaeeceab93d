"""The files of an edition by name: datapackage.json (Frictionless Data Package), the list of archives, and SHA256SUMS."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from webapp.bulk import parts, schema
from webapp.formats.sheets import to_csv
from webapp.models import PublicData

DESCRIPTION, ARCHIVES, SUMS = "datapackage.json", "archives.csv", "SHA256SUMS"
_MEDIA = {"parquet": "application/vnd.apache.parquet", "csv": "text/csv", "jsonl": "application/jsonl"}
MADE = {DESCRIPTION: "application/json", ARCHIVES: "text/csv", SUMS: "text/plain"}
"""Files that are written when they are asked for."""


class DataFile(NamedTuple):
    """A file in the store."""

    name: str
    form: str
    sha256: str
    size: int
    part: parts.Part

    @property
    def key(self) -> str:
        return parts.key_of({"sha256": self.sha256})


def list_files(edition: PublicData) -> list[DataFile]:
    """The files with values: names tell the range of archives."""
    return [
        DataFile(f"{_stem(part)}.{parts.ENDINGS[form]}", form, file["sha256"], file["bytes"], part)
        for part in edition.parts
        for form, file in part["files"].items()
    ]


def _stem(part: parts.Part) -> str:
    return f"measurements-{part['archives'][0]}-{part['archives'][-1]}"


def describe(edition: PublicData, origin: str) -> str:
    """datapackage.json. `origin`: scheme and host of this site, '' where it has none."""
    fields = _fields(schema.COLUMNS)
    licences = sorted({(row["licence_spdx"], row["licence_address"]) for row in edition.archives if row["licence_spdx"]})
    return json.dumps(
        {
            "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
            "name": "poolmark-public-data",
            "title": f"Public measurements, {edition.date.isoformat()}",
            "description": "Every public measurement with its configuration, workload and the line it was read from. Its licence "
            "is that of its archive: archives.csv. Values that comparisons do not count have `counted` false.",
            "version": edition.date.isoformat(),
            "created": edition.made_at.isoformat(timespec="seconds") if edition.made_at else None,
            **({"homepage": f"{origin}/data"} if origin else {}),
            **({"licenses": [{"name": name, "path": path} for name, path in licences]} if licences else {}),
            "resources": [*(_resource(file, fields) for file in list_files(edition)), _archives_resource(edition)],
        },
        indent=1,
        ensure_ascii=False,
    )


def _fields(columns: Iterable[schema.DataColumn]) -> list[dict[str, str]]:
    return [{"name": one.name, "type": schema.FRICTIONLESS[one.type], "description": one.meaning} for one in columns]


def _resource(file: DataFile, fields: list[dict[str, str]]) -> dict[str, Any]:
    return {
        "name": f"{_stem(file.part)}-{file.form}",
        "path": file.name,
        "format": file.form,
        "mediatype": _MEDIA[file.form],
        "encoding": "utf-8",
        **({"compression": "gz"} if file.form != "parquet" else {}),
        "bytes": file.size,
        "hash": f"sha256:{file.sha256}",
        "rows": file.part["measurements"] + file.part["unmeasured"],
        "schema": {"fields": fields},
    }


def _archives_resource(edition: PublicData) -> dict[str, Any]:
    data = list_archives(edition).encode()
    return {
        "name": "archives",
        "path": ARCHIVES,
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": len(data),
        "hash": f"sha256:{hashlib.sha256(data).hexdigest()}",
        "schema": {
            "fields": _fields(schema.ARCHIVE_COLUMNS),
            "primaryKey": ["archive"],
        },
    }


def list_archives(edition: PublicData) -> str:
    """archives.csv: licence and digest of every archive."""
    names = [column.name for column in schema.ARCHIVE_COLUMNS]
    return to_csv([names, *([row[name] for name in names] for row in edition.archives)], end="\n")


def list_sums(edition: PublicData, origin: str) -> str:
    """SHA256SUMS: what `sha256sum -c` checks."""
    made = {DESCRIPTION: describe(edition, origin), ARCHIVES: list_archives(edition)}
    sums = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in made.items()}
    sums |= {file.name: file.sha256 for file in list_files(edition)}
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(sums.items()))


def write(edition: PublicData, name: str, origin: str) -> str:
    """One of the files of `MADE`."""
    if name == DESCRIPTION:
        return describe(edition, origin)
    return list_archives(edition) if name == ARCHIVES else list_sums(edition, origin)
