"""After the first start the export holds every number of the five studies, and nothing else of them."""

from __future__ import annotations

import csv
import json
import re
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.management import call_command

from webapp.comparison.compare import compare
from webapp.comparison.selection import parse
from webapp.models import Archive, Permalink, StudyFigure
from webapp.studies import registry
from webapp.tests.study_numbers import CLUSTER, EVALUATION, FLASH, OPERATING_SYSTEMS
from webapp.tests.study_weblog_numbers import WEBLOG

PAGES = {
    "three-operating-systems": OPERATING_SYSTEMS,
    "zol-evaluation": EVALUATION,
    "zfs-fdtree-flash": FLASH,
    "fhgfs-over-zfs": CLUSTER,
    "sun-storage-weblog": WEBLOG,
}
UNITS = {
    "s": 1,
    "1": 1,
    "B/s": 1,
    "IOPS": 1,
    "files/s": 1,
    "%": 1,
    "kB/s": 1e3,
    "KiB/s": 2**10,
    "MB/s": 1e6,
    "GB/s": 1e9,
    "GB": 1e9,
    "MiB": 2**20,
    "MiB/s": 2**20,
}


@pytest.fixture(scope="module")
def exported(first_start, django_db_blocker):
    """Records of the export by study."""
    found = {}
    with django_db_blocker.unblock():
        for archive in Archive.objects.filter(study__in=PAGES):
            Archive.objects.exclude(pk=archive.pk).update(withdrawn_at="2000-01-01T00:00Z")
            out = StringIO()
            call_command("export", format="jsonl", stdout=out, stderr=StringIO())
            records = map(json.loads, out.getvalue().splitlines())
            found[archive.study] = [record for record in records if record["type"] == "measurement"]
            Archive.objects.update(withdrawn_at=None)
    return found


def seconds(text: str) -> float:
    """`3m44.857s`, `1:09:20.558` and `106.582` as a number."""
    total = 0.0
    for part in re.split(r"[m:]", text.removesuffix("s")):
        total = total * 60 + float(part)
    return total


def number(text: str, unit: str) -> float:
    above, slash, below = text.partition("/")
    return (float(above) / float(below) if slash else seconds(above)) * UNITS[unit]


def expected(page: str):
    """(tool, metric, origin, wanted, value, line) of every number of a page."""
    unit = ""
    for line in filter(None, page.splitlines()):
        if line.startswith("unit "):
            unit = line.removeprefix("unit ")
            continue
        told, _, numbers = line.partition(" | ")
        tool, metric, origins, wanted = told.split(" ", 3)
        for origin in origins.split(","):
            for text in numbers.split():
                yield tool, metric, origin, [pair.partition("=")[::2] for pair in wanted.split("&")], number(text, unit), line


def says(record: dict, wanted: list) -> bool:
    told = record["params"] | record["config"]
    return all(str(told.get(key, "")) == value for key, value in wanted)


@pytest.mark.thorough
@pytest.mark.parametrize("study", PAGES)
def it_exports_every_number_of_the_page_once_and_no_other(exported, study):
    left = list(exported[study])
    for tool, metric, origin, wanted, value, line in expected(PAGES[study]):
        found = next(
            (
                r
                for r in left
                if (r["tool"], r["metric"], r["origin"]) == (tool, metric, origin)
                and r["value"] == pytest.approx(value, rel=1e-9)
                and says(r, wanted)
            ),
            None,
        )
        assert found, line
        left.remove(found)
    assert [(r["file"], r["line"], r["metric"], r["raw"]) for r in left] == []


@pytest.mark.thorough
def it_knows_how_many_values_and_timings_there_are(exported):
    laptop = exported["three-operating-systems"]
    assert len(laptop) == 63
    timed = [r for r in laptop if "timer" in r["params"]]
    assert len(timed) == 45 and len({(r["file"], r["line"]) for r in timed if r["metric"].endswith("elapsed")}) == 15
    lz4 = {(r["tool"], r["config"]["os.name"]) for r in laptop if r["config"]["pool.compression"] == "lz4"}
    assert lz4 == {(tool, system) for tool in ("tar", "rm") for system in ("OpenIndiana", "FreeBSD", "CentOS")}


def it_tells_the_line_or_the_page_of_every_number(exported):
    for record in (r for records in exported.values() for r in records):
        assert record["line"] and record["config_from"]
        assert record["origin"] in ("measured", "derived") or record["source_note"]


ONE_RUN = "one run each, spread unknown; at least 3 a side"


def verdicts(query: str) -> dict:
    pairs = [tuple(pair.split("=", 1)) for pair in query.split("&")]
    comparison = compare(parse(pairs), AnonymousUser())
    return {(group.x, group.series): group.verdict for panel in comparison.panels for group in panel.groups}


def it_judges_the_statements_of_the_studies_by_what_the_numbers_bear(first_start):
    read = verdicts("metric=read.throughput&x=os&tool=dd&study=three-operating-systems&baseline=OpenIndiana")
    assert read["CentOS", ""].word == "faster in this session" and read["FreeBSD", ""].word == "no difference seen"
    removed = verdicts("metric=remove.elapsed&x=os&series=compression&study=three-operating-systems&baseline=OpenIndiana")
    assert {(found.word, found.withheld) for found in removed.values() if found} == {("", ONE_RUN)}
    assert all(found.ratio > 2 for found in removed.values() if found)
    room = verdicts("metric=copy.size&x=compression&dedup=off&study=zol-evaluation&baseline=lz4")
    time = verdicts("metric=copy.elapsed&x=compression&dedup=off&study=zol-evaluation&baseline=lz4")
    assert room["gzip-6", ""].ratio < 0.75 and room["gzip-6", ""].withheld == ONE_RUN
    assert 0.95 < time["gzip-6", ""].ratio < 1


def it_draws_no_calculated_value_unless_asked(first_start):
    usual = verdicts("metric=random_read.rate&x=layout&study=sun-storage-weblog")
    assert not any("(100)" in layout for layout, _ in usual)
    assert len(verdicts("metric=random_read.rate&x=layout&study=sun-storage-weblog&origin=model")) == 8


def it_freezes_each_comparison_once_and_reads_nothing_again(first_start):
    links = [link for study in registry.shipped_studies().values() for link in study.comparisons]
    assert StudyFigure.objects.count() == len(links) + len(registry.comparisons_across())
    assert f"Drawing their figures ... {StudyFigure.objects.count()} frozen\n" in first_start
    counts = Archive.objects.count(), Permalink.objects.count()
    again = StringIO()
    call_command("load_fixtures", stdout=again)
    assert (again.getvalue(), Archive.objects.count(), Permalink.objects.count()) == ("", *counts)


@pytest.mark.parametrize("study", registry.shipped_studies())
def it_shows_each_study_within_ten_queries_with_its_figures(first_start, client, study, django_assert_max_num_queries):
    with django_assert_max_num_queries(10):
        page = client.get(f"/studies/{study}").content.decode()
    told = registry.shipped_studies()[study]
    assert page.count("<canvas") >= len(told.comparisons) == page.count("Frozen as")
    assert all(sentence.split(";")[0][:40].replace("'", "&#x27;") in page for sentence in told.left_out)


def it_lists_what_was_printed_as_pictures_and_what_is_doubtful(first_start, client):
    page = client.get("/studies/zol-evaluation").content.decode()
    assert len(re.findall(r"Sweep, \d+ of 15", page)) == 15
    assert "the listing of the same run 1.22" in page and "it means MiB/s" in page


def it_lists_comparisons_across_studies_with_permalinks(first_start, client):
    page = client.get("/studies").content.decode()
    found = re.search(r'id="across".*', page, re.DOTALL)[0]
    assert found.count("/p/") >= 2 * len(registry.comparisons_across())
    for link in registry.comparisons_across():
        assert link.title in found


def it_says_the_caveat_of_our_own_sweep_wherever_it_is_drawn(first_start, client):
    caveat = Archive.objects.get(study="zfs-compression").caveat
    permalink = StudyFigure.objects.filter(study="zfs-compression").values_list("permalink_id", flat=True)[0]
    query = registry.shipped_studies()["zfs-compression"].comparisons[0].query
    bonnie = "/compare?metric=write.throughput&x=compression&fs=zfs&tool=bonnie%2B%2B"
    for address in ("/studies/zfs-compression", f"/compare?{query}", f"/p/{permalink}", bonnie):
        assert caveat in client.get(address).content.decode(), address
    assert caveat not in client.get("/").content.decode()


def it_has_every_submission_of_io500_apart(first_start, django_db_blocker):
    """Each number is of one submission, with its institution, year and file system's name, and none is pooled with another."""
    archive = Archive.objects.get(study="io500")
    out = StringIO()
    call_command("export", format="jsonl", stdout=out, stderr=StringIO())
    records = [record for record in map(json.loads, out.getvalue().splitlines()) if record.get("tool") == "io500"]
    hosts = {record["config"]["host"] for record in records}
    assert (len(records), len(hosts), archive.measurements) == (4837, 323, 4837)
    assert {record["origin"] for record in records} == {"reported"}
    for record in records:
        assert record["source_note"].removeprefix("submission ") == record["config"]["host"].rpartition("#")[2]
        assert {"x.institution", "x.file_system_name", "x.year"} <= record["config"].keys()
        assert ("phase" in record["params"]) == (not record["metric"].startswith("io500."))
    assert len({(r["config"]["host"], r["metric"], r["params"].get("phase")) for r in records}) == len(records)


def it_has_every_submission_of_io500_as_a_system(first_start, client):
    """As many as hosts in the files, each with a name of its own and what the list says of it."""
    rows = [row for path in sorted(Path(settings.BASE_DIR, "fixtures/io500").glob("*.csv")) for row in csv.DictReader(path.open())]
    told = {row["config.host"]: row for row in rows}
    found = [one for one in client.get("/systems.json").json()["systems"] if "x.file_system_name" in one["facts"]]
    names = {one["name"]: one for one in found}
    assert len(found) == len(names) == len(told) == 323
    for host, row in told.items():
        one = names.get(host) or names[host.rpartition(" #")[0]]
        wanted = {"x.institution": row["config.x.institution"], "x.year": row["config.x.year"], "nodes": row["params.nodes"]}
        wanted |= {"fs": row["config.fs.type"], "x.file_system_name": row["config.x.file_system_name"]}
        assert {name: texts for name, [texts] in one["facts"].items()} == {name: text for name, text in wanted.items() if text}
    assert client.get(f"/systems/{names['Wolf #1']['id']}").context["name"] == "Wolf #1"
    assert [row.name for row in client.get("/systems?x.institution=University+of+Tsukuba&q=chfs").context["systems"]]


def it_says_of_io500_what_may_be_concluded(first_start, client):
    page = client.get("/studies/io500").content.decode()
    assert "What may be concluded" in page
    assert all(sentence.split("'")[0] in page for sentence in registry.shipped_studies()["io500"].concludes)


def it_has_one_script_on_many_machines(first_start):
    """Drives in one board and machines of their own: enough of each to compare, each number with its address, line and revision."""
    out = StringIO()
    call_command("export", format="jsonl", stdout=out, stderr=StringIO())
    records = [r for r in map(json.loads, out.getvalue().splitlines()) if (r.get("source_note") or "").startswith("github.com/")]
    configs = [record["config"] for record in records]
    drives, cpus, hosts = ({c.get(key) for c in configs} - {None} for key in ("disk.model", "cpu.model", "host"))
    workloads = {tuple(r["params"].get(k) for k in ("mix", "block_size", "record_size", "file_size")) for r in records}
    assert Archive.objects.get(study="one-script-many-machines").measurements == len(records) == 503
    assert (len(drives), len(cpus), len(hosts), len(workloads)) == (23, 22, 38, 11)
    assert {record["origin"] for record in records} == {"reported"}
    assert all(re.search(r"\([0-9a-f]{7}\), .+\.md, line \d+", record["source_note"]) for record in records)
    runs = {(r["metric"], *sorted(r["params"].items()), r["config"]["host"], r["config"].get("disk.model")) for r in records}
    assert len(runs) == len(records)
