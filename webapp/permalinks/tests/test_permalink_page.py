"""The page of a permalink: drawn from its record, whatever has become of the rest."""

from __future__ import annotations

import csv
import hashlib
import html
import io
import json
import re

import pytest

from webapp.comparison.tests import misleading_archives as archives
from webapp.figures import notes
from webapp.formats import captions, frozen_files, tidy
from webapp.models import Permalink
from webapp.permalinks import record_figures, sources
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


@pytest.mark.parametrize(
    ("case", "sessions"),
    [
        ("one side beyond what can be measured", "in this session"),
        ("two sessions on two days with both sides", "in these 2 sessions"),
        ("two days with both sides and one with one side", "in these 2 sessions"),
    ],
)
def it_keeps_the_sentence_of_the_page_that_it_froze(client, case, sessions):
    """And the claim names as many sessions in every form as the test compares."""
    page, _ = rows_of(client, case)
    [sentence] = re.findall(r'<p class="sentence">(.*?)</p>', page)
    query = html.unescape(re.findall(r'href="/compare\?([^"]*)"', page)[0])
    [live] = re.findall(r'<p class="sentence" id="sentence">(.*?)</p>', client.get(f"/compare?{query}").content.decode())
    assert sentence == live and sessions in sentence
    record = json.loads(bytes(Permalink.objects.get().record))
    [group] = [group for group in record["panels"][0]["groups"] if group["verdict"]]
    caption = captions.to_text(captions.make_caption(record, "0" * 64))
    rows = list(csv.DictReader(io.StringIO(tidy.to_tables(record, "")["groups.csv"])))
    for text in (group["verdict"]["word"], caption, rows[-1]["claim"], frozen_files.make_latex(record, "")[frozen_files.TABLE]):
        assert sessions in text and not (set(re.findall(r"in th(?:is|ese \d+) sessions?", text)) - {sessions})
    left_out = "2 runs left out, of sessions with one side only"
    assert (left_out in group["verdict"]["doubts"]) == (left_out in caption) == ("with one side" in case)


def it_says_the_claims_of_a_record_that_has_kept_no_sentence(client):
    rows_of(client, "two sessions on two days with both sides")
    record = json.loads(bytes(Permalink.objects.get().record))
    del record["sentence"]
    said = record_figures.sentence_of(record | {"version": 3})
    assert said.startswith("Against the baseline off: faster in these 2 sessions: lz4 1.30")
    assert record_figures.sentence_of(record | {"version": 2}) == ""


def it_calls_a_range_a_range_from_version_4_on(client):
    """Tables of records before have the columns that they were frozen with."""
    page, _ = rows_of(client, "two sessions on two days with both sides")
    record = json.loads(bytes(Permalink.objects.get().record))
    assert record["version"] == 4 and ">Lowest to highest</th>" in page
    for version, column, head in ((4, "whiskers", "{c}{range}"), (3, "interval", "{c}{interval}")):
        made = frozen_files.make_texts(record | {"version": version}, "")
        table = made[f"figures/{frozen_files.TABLE}"]
        [kind] = {row[column] for row in csv.DictReader(io.StringIO(made["groups.csv"]))}
        assert kind == "range" and head in table


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
    lines = [value["line"] for value in record_figures.parse_record(link.record)["values"]]
    core = f"swh:1:cnt:{hashlib.sha1(b'blob %d' % len(data) + bytes(1) + data).hexdigest()}"
    [source] = record_figures.parse_record(link.record)["files"].values()
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
    record = record_figures.parse_record(link.record)
    for source in record["files"].values():
        del source["swhid"]
    assert [sources.swhid_of(record, source) for source in record["files"].values()] == [""]
    assert [part.source for part in permalink_bundle.excerpt_parts(record)] == [""]
