"""What a page costs must not follow the size of the database. Counts only: no machine changes them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from webapp.comparison import compare
from webapp.comparison.selection import Selection
from webapp.models import Archive, Configuration, Run
from webapp.storage import load
from webapp.storage.batch import Batch
from webapp.storage.locks import lock_writes
from webapp.tests import caches, making, samples
from webapp.tests.reading import rows_read

MOST_STATEMENTS = 40
MOST_QUERIES = 10
WITH_FIGURES = {"/archives/{archive}": 28, "/runs/{run}": 17, "/systems/{system}": 18, "/configurations/{configuration}": 11}
"""Queries of pages that draw figures and standings of their own."""
LEVELS = ("off", "lz4", "lzjb", "gzip-1", "gzip-6", "zstd-3")
PAGES = (
    "/",
    "/compare?metric=write.throughput&x=compression",
    "/compare?metric=write.throughput&x=compression&baseline=off&hold=os_family",
    "/compare.json?metric=write.throughput&x=compression",
    "/archives",
    "/systems",
    "/systems/{system}",
    "/configurations/{configuration}",
    "/runs/{run}",
    "/archives/{archive}",
    "/studies",
)


def fill(archives: int, runs: int) -> Archive:
    """Archives of one file per level, each with as many runs of it; the same six configurations whatever the numbers."""
    last = None
    for number in range(archives):
        records = []
        for at, level in enumerate(LEVELS):
            values = [1e8 * (at + 1) + number * 1000 + n for n in range(runs)]
            config = {"os.family": "Linux", "host": "tank1", "cpu.model": "Xeon E3110", "pool.compression": level}
            records += making.file_records(f"{level}.csv", f"{level} {number} {runs}", values, config=config)
        last = making.archive(public=True, records=records)
    assert last is not None
    return last


def cost(client, page: str, archive: Archive) -> tuple[int, int]:
    """Queries, and rows that they read, of a page that no cache holds."""
    run = Run.objects.filter(archive_id=archive.pk).first()
    address = page.format(
        archive=archive.pk,
        run=run.pk,
        configuration=run.configuration_id,
        system=Configuration.objects.get(pk=run.configuration_id).system_id,
    )
    lock_writes()
    cache.clear()
    with CaptureQueriesContext(connection) as caught:
        assert client.get(address).status_code == 200
    return len(caught), rows_read(caught.captured_queries)


@pytest.mark.thorough
@pytest.mark.django_db
@pytest.mark.parametrize(("known", "pages"), [(True, PAGES), (False, PAGES[:4])])
def it_reads_no_more_where_the_same_was_measured_more_often(client, known, pages):
    """Ten times the measurements of the same configurations: the same queries, and hardly a row more. Comparisons also
    right after a load, when the planner still believes that the tables are empty."""
    connection.cursor().execute("ANALYZE")
    archive = _filled(2, 4, known)
    small = {page: cost(client, page, archive) for page in pages}
    archive = _filled(12, 100, known)
    for page, (queries, rows) in small.items():
        now, read = cost(client, page, archive)
        assert now <= max(queries, MOST_QUERIES), f"{page}: {queries} queries became {now}"
        # Lists show up to a page of archives or runs, and a figure up to two dozen values of a group with their lines.
        assert read <= 3 * rows + 2500, f"{page}: {rows} rows became {read}"


def _filled(archives: int, runs: int, known: bool) -> Archive:
    archive = fill(archives, runs)
    if known:
        connection.cursor().execute("ANALYZE")
    return archive


@pytest.mark.thorough
@pytest.mark.django_db
@pytest.mark.parametrize("mine", [False, True], ids=["public", "with private archives"])
def it_reads_few_rows_for_the_first_page(client, mine):
    """At most five for each configuration that matches, each of which has six workloads, in two archives: after a change of
    the data, which makes all of it new, and in a process that has shown nothing yet. Of 40 and of 120 configurations a filter
    lets thirty through. A new process also reads what stands behind each value that is drawn."""
    if mine:
        client.force_login(making.user("bob"))
    for number, hosts in enumerate((40, 120)):
        for again in range(2):
            making.archive(owner="bob", public=not mine or again == 0, records=_measured(hosts, f"{number} {again}"))
        connection.cursor().execute("ANALYZE")
        for query, matching in (("", hosts), ("&compression=lz4", hosts), ("&cpu=First", MATCHING)):
            address = f"/compare?metric=write.throughput&x=compression{query}"
            client.get(address)
            for process in ("known", "new"):
                lock_writes()
                cache.clear()
                if process == "new":
                    caches.clear()
                with CaptureQueriesContext(connection) as caught:
                    assert client.get(address).status_code == 200
                assert len(caught) <= MOST_QUERIES
                most = 5 * matching + (LINES if process == "new" and matching == MATCHING else 0)
                assert rows_read(caught.captured_queries) <= most, (query, process)


MATCHING, LINES = 30, 3 * 24
"""Configurations that the filter lets through, and rows behind the lines of the values that are drawn of a group."""


def _measured(hosts: int, what: str) -> list:
    sizes = [{"file_size": 2 ** (20 + size)} for size in range(6)]
    return [
        record
        for host in range(hosts)
        for params in sizes
        for record in making.file_records(
            f"{host}-{params['file_size']}.csv",
            f"{what} {host} {params}",
            [1e8 + host],
            params=params,
            config={
                "os.family": "Linux",
                "host": f"h{host}",
                "pool.compression": "lz4",
                "cpu.model": "First" if host < MATCHING else "Another",
            },
        )
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("address", PAGES)
def it_asks_few_questions(client, address):
    queries, _ = cost(client, address, fill(2, 4))
    assert queries <= WITH_FIGURES.get(address, MOST_QUERIES)


@pytest.mark.django_db
def it_takes_in_and_reads_an_archive_with_few_statements():
    samples.received(samples.dd(2.5))  # the dimensions are there
    with CaptureQueriesContext(connection) as caught:
        samples.received(samples.dd(2.7))
    assert len(caught) <= MOST_STATEMENTS, "\n".join(query["sql"][:100] for query in caught.captured_queries)


@pytest.mark.django_db
def it_stores_an_archive_of_any_size_with_the_same_statements():
    def statements(runs: int) -> int:
        records = [
            record
            for at, level in enumerate(LEVELS)
            for record in making.file_records(
                f"{level}.csv", f"{level} {runs}", [1e8 * (at + 1) + n for n in range(runs)], config={"pool.compression": level}
            )
        ]
        row = making.archive()
        with CaptureQueriesContext(connection) as caught:
            load.store(row.pk, Batch.from_records(records, row.pk))
        return len(caught)

    statements(2)  # dimensions are new only once
    assert statements(3) == statements(300) <= 40


@pytest.mark.django_db
def it_freezes_without_looking_at_the_values_of_other_tools():
    """A configuration is measured with many tools; every value of a group is read where it is frozen."""
    config = {"os.family": "Linux", "pool.compression": "lz4"}
    making.archive(public=True, records=making.file_records("a.csv", "a", [1e8 + n for n in range(40)], config=config))
    selection = Selection(metrics=("write.throughput",), x="compression")

    def rows() -> tuple[int, list[float]]:
        with CaptureQueriesContext(connection) as caught:
            found = compare.compare(selection, making.user(), exact=True)
        return rows_read(caught.captured_queries), [len(group.points) for group in found.groups]

    before, shown = rows()
    making.archive(
        public=True,
        records=making.file_records(
            "b.csv", "b", [1e8 + n for n in range(400)], config=config, tool="iozone", metric="read.throughput"
        ),
    )
    connection.cursor().execute("ANALYZE")
    now, again = rows()
    assert shown == again == [40]
    assert now < before + 450, "their 400 runs are seen, their 400 values are not"


def it_formats_no_number_in_a_template():
    """`floatformat` alone was most of the time of a table of 60 groups; numbers are formatted in Python. It stands nowhere:
    a template without a loop may be a row of another."""
    templates = sorted(Path(settings.BASE_DIR, "templates").rglob("*.html"))
    assert templates
    assert [str(template) for template in templates if "floatformat" in template.read_text()] == []


_JOINED = re.compile(r"JOIN\s+webapp_measurement\b")
_ROOT = Path(settings.BASE_DIR, "webapp")


def it_reaches_measurements_by_key_and_never_by_a_join():
    """Of a join with a range of ids the planner believes that it gives a ninth of all measurements for each row, and then
    reads all of them; `CROSS JOIN LATERAL (... OFFSET 0)` and ranges in numbers go by the key, whatever it believes."""
    # consistency reads all measurements on purpose: it is the operator's check of the whole database.
    modules = [
        module
        for module in _ROOT.rglob("*.py")
        if not {"tests", "migrations", "consistency.py"} & set(module.relative_to(_ROOT).parts)
    ]
    assert len(modules) > 100
    assert [str(module) for module in modules if _JOINED.search(module.read_text())] == []
