"""The page of a permalink: drawn from its record, whatever has become of the rest."""

from __future__ import annotations

import hashlib
import re

import pytest

from webapp.comparison.tests import misleading_archives as archives
from webapp.figures import notes
from webapp.permalinks import plate, sources
from webapp.permalinks.bundles import permalink_bundle
from webapp.storage import load
from webapp.tests import frozen, samples

pytestmark = pytest.mark.django_db


def it_draws_the_record(client):
    link = frozen.frozen()
    page = client.get(f"/p/{link.pk}").content.decode()
    assert link.digest in page and "Writes of a tank" in page
    assert "Median, MiB/s</th>" in page


def rows_of(client, case: str, query: str = "") -> tuple[str, list[str]]:
    """The page of a permalink on the archives of a case, and the rows of its table without markup and links to lines."""
    [found] = [one for one in (*archives.MISLEADING, *archives.PLAIN) if one.name == case]
    numbers = []
    for files in found.archives:
        row = samples.received(samples.tar({path: text.encode() for path, text in files.items()}), f"{case}.tar")
        load.accept(row.pk, "")
        numbers.append(row.pk)
    link = frozen.freeze("&".join([query or found.address, *(f"archive={number}" for number in numbers)]))
    assert permalink_bundle.check_permalink(link)[0] == []
    page = client.get(f"/p/{link.pk}").content.decode()
    [body] = re.findall(r"<tbody>(.*?)</tbody>", page, re.DOTALL)
    rows = [re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", row)).strip() for row in body.split("</tr>") if row.strip()]
    return page, rows


def it_shows_bounds_and_runs_without_a_number_in_the_table(client):
    _, [off, lz4] = rows_of(client, "two of three runs too fast to measure")
    assert off.startswith("off 0.196 3 0.193 to 0.197 ")
    assert lz4.startswith("lz4 &gt; 16 "), lz4
    assert " 3: 1 measured, 2 faster than could be measured (above 16 GiB/s) " in lz4


def it_freezes_a_comparison_of_bounds_alone(client):
    page, rows = rows_of(client, "every value beyond what can be measured")
    assert [row.split(" &gt; 16 ")[0] for row in rows] == ["off", "lz4"]
    assert all(" 4: 0 measured, 4 faster than could be measured (above 16 GiB/s)" in row for row in rows), rows
    assert "8 runs of 2 configurations. No run gave a number; open end: the value lies beyond what could be measured" in page


def it_shows_the_centre_of_each_of_unlike_sessions_and_no_interval(client):
    page, [row] = rows_of(client, "six runs at 20 and six at 900, hours apart")
    assert row.startswith("lz4 904; 20 12 900 "), row
    assert notes.PARTS_NOTE in page


def it_keeps_the_places_that_were_not_run_in_the_order_of_the_axis(client):
    _, rows = rows_of(client, "2 GiB beside 256 MiB")
    assert [row.split()[0] for row in rows] == ["off", "lz4", "gzip-6"]
    assert "not run with this workload; has" in rows[0] and "256 MiB" in rows[0]


def it_names_its_source_files_by_swhid(client):
    data = samples.dd(2.5, 2.6)
    archive = samples.received(samples.tar({"run/dd.txt": data}))
    link = frozen.freeze()
    lines = [value["line"] for value in plate.parse_record(link.record)["values"]]
    core = f"swh:1:cnt:{hashlib.sha1(b'blob %d' % len(data) + bytes(1) + data).hexdigest()}"
    [source] = plate.parse_record(link.record)["files"].values()
    assert source["swhid"] == core
    first, last = min(map(int, source["lines"])), max(map(int, source["lines"]))
    name = f"{core};origin=https://poolmark.example/archives/{archive.pk};lines={first}-{last}"
    assert first <= int(lines[0]) <= last and name in client.get(f"/p/{link.pk}").content.decode()
    [excerpt] = [
        part for part in permalink_bundle.bundle_parts(frozen.with_plain_pictures(link)) if part.path.startswith("excerpts/")
    ]
    assert excerpt.source == name


def it_has_no_swhid_where_its_record_was_frozen_before(client):
    link = frozen.frozen()
    record = plate.parse_record(link.record)
    for source in record["files"].values():
        del source["swhid"]
    assert [sources.swhid_of(record, source) for source in record["files"].values()] == [""]
    assert [part.source for part in permalink_bundle.excerpt_parts(record)] == [""]
