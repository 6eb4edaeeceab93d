"""Lists by key: every row once, whatever comes meanwhile, and no page costs more for being far down."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urljoin

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from ingest.catalogue import METRICS
from ingest.records import Warning
from webapp.archives import review as reviewing
from webapp.http.pagination import paginate, paginate_rows
from webapp.models import Archive, Collection, File, Permalink, Statement, Withdrawal
from webapp.studies import page as gallery
from webapp.systems import configuration_queries
from webapp.tests import making, samples
from webapp.tests.reading import rows_read
from webapp.views import collection_pages, runs, studies
from webapp.views.archives import archive_page, raw_view, review_form
from webapp.views.systems import configurations, system_pages

pytestmark = pytest.mark.django_db
NEXT = r'href="([^"?]*\?[^"#]*\b{}=[^"#&]*)(?:#[\w-]+)?"(?: rel="next")?>(?:Further|More|Older)'
MARKS = (
    "",
    "x",
    "W10",
    "=",
    "WyI9eCJd",
    "WzFd",
    "WzFlOTld",
    "W251bGxd",
    "WyIyMDIwLTAxLTAxVDAwOjAwOjAwKzAwOjAwIiwxXQ",
    "WzEsMl0",
    "W1tbW1tb" * 500,
)


def walked(client, address: str, row: str, by: str = "after") -> list[str]:
    """What `row` finds on the page and on those that follow by the links of one of its lists, page for page."""
    found, asked = [], address
    while asked:
        text = client.get(asked).content.decode()
        found += re.findall(row, text)
        link = re.search(NEXT.format(by), text)
        asked = urljoin(address, link[1].replace("&amp;", "&")) if link else ""
    return found


def configured(count: int) -> Archive:
    records = [
        record
        for at in range(count)
        for record in making.file_records(
            f"{at:02}.csv",
            str(at),
            [1e8 + at] * (1 + at % 3),
            config={"cpu.model": "Xeon", "pool.compression": f"gzip-{at}" if at % 4 else None} | {"host": f"h{at}"},
        )
    ]
    return making.archive(public=True, records=records)


FILE, CONFIGURATION = r'scope="row"><a href="/archives/\d+/raw/(\d+\.csv)', r'href="/configurations/(\d+)'


@pytest.mark.parametrize(
    "paged",
    [
        (archive_page, "_FILES", "/archives/{}", FILE, "files"),
        (archive_page, "_CONFIGURATIONS", "/archives/{}", CONFIGURATION, "configurations"),
        (reviewing, "CONFIGURATIONS_PER_PAGE", "/archives/{}/review", CONFIGURATION, "configurations"),
        (system_pages, "_CONFIGURATIONS", "/systems/{system}", CONFIGURATION, "after"),
    ],
)
def test_every_row_of_a_list_is_met_once(ann, monkeypatch, paged):
    module, size, address, row, by = paged
    monkeypatch.setattr(module, size, 4)
    archive = configured(10)
    system = archive.run_set.first().configuration.system_id
    found = walked(ann, address.format(archive.pk, system=system), row, by)
    assert len(found) == len(set(found)) == 10


def test_the_values_of_a_run_come_in_pages(client, monkeypatch):
    monkeypatch.setattr(runs, "_SHOWN", 4)
    archive = making.archive(public=True, records=making.file_records("a.csv", "a", [1e8 + n for n in range(10)]))
    run = archive.run_set.order_by("first_measurement").first()
    archive.run_set.filter(pk=run.pk).update(measurements=10)  # as if all were values of one run
    assert len(set(walked(client, f"/runs/{run.pk}", r'title="(1000000\d\d\.0)"'))) == 10


def test_the_metrics_of_a_configuration_come_in_pages_with_all_that_was_measured(ann, monkeypatch):
    """As the owner, whose archive is not public, beside what is."""
    monkeypatch.setattr(configurations, "_METRICS", 3)
    names = [name for name in METRICS if name.endswith(".throughput")][:8]
    config = {"host": "tank1", "arch": "x86_64", "pool.compression": "lz4"}
    for public in (True, False):
        archive = making.archive(
            public=public,
            records=[
                record
                for at, name in enumerate(names)
                for size in range(at + 1)
                for record in making.file_records(
                    f"{at}-{size}.csv",
                    f"{public} {at} {size}",
                    [1e8] * 2,
                    metric=name,
                    params={"file_size": 2 ** (20 + size)},
                    config=config,
                )
            ],
        )
    address = f"/configurations/{archive.run_set.first().configuration_id}"
    row = r'<span title="([\w.]+)">[^<]+</span></a></th><td class="number">(\d+)</td><td class="number">(\d+)</td>'
    assert walked(ann, address, row, "metrics") == sorted((name, f"{at + 1}", f"{4 * (at + 1)}") for at, name in enumerate(names))
    monkeypatch.setattr(configuration_queries, "MAX_WORKLOADS", 2)
    text = ann.get(address).content.decode()
    assert "more than 2<" in text


def test_own_permalinks_come_in_pages(ann, monkeypatch):
    monkeypatch.setattr(collection_pages, "_LISTED", 3)
    owner, day = making.user("ann"), datetime(2026, 1, 1, tzinfo=UTC)
    for at in range(8):
        Permalink.objects.create(id=f"p{at}", digest=f"d{at}", content=f"c{at}", record=b"{}", frozen_at=day, owner=owner)
    Collection.objects.all().delete()
    found = walked(ann, "/permalinks", r">/p/(p\d)<", "before")
    assert sorted(found) == [f"p{at}" for at in range(8)]


def test_studies_come_in_pages_the_first_archive_of_each(client, monkeypatch):
    monkeypatch.setattr(studies, "_SHOWN", 4)
    for at in range(14):
        archive = making.archive(public=True, records=making.file_records("a.csv", f"{at // 2}", [1e8]))
        Archive.objects.filter(pk=archive.pk).update(study=f"study-{at // 2:02}" if at < 4 else f"study-{at:02}")
    found = walked(client, "/studies", r'href="/studies/([\w-]+)"')
    assert len(found) == len(set(found)) == 12


def test_what_is_withdrawn_and_what_was_taken_back_comes_in_pages(ann, monkeypatch):
    monkeypatch.setattr(archive_page, "_WITHDRAWN", 3)
    archive, now = making.archive(public=True, records=making.file_records("a.csv", "a", [1e8])), datetime.now(UTC)
    Withdrawal.objects.bulk_create(
        Withdrawal(
            archive=archive,
            what="measurement",
            path="a.csv",
            line=f"{at}",
            reason=f"r{at:02}",
            metric="write.throughput",
            restored_at=now if at % 2 else None,
        )
        for at in range(16)
    )
    found = walked(ann, f"/archives/{archive.pk}", r": (r\d+) <small>\d", "withdrawn")
    assert sorted(found) == [f"r{at:02}" for at in range(0, 16, 2)]
    Withdrawal.objects.filter(restored_at=None).delete()
    found = walked(ann, f"/archives/{archive.pk}", r": (r\d+) <small>restored", "restored")
    assert found == [f"r{at:02}" for at in range(15, 0, -2)]


def test_statements_come_in_pages_and_know_what_followed_on_another(ann, monkeypatch):
    monkeypatch.setattr(review_form, "_HISTORY", 3)
    archive = making.archive(records=making.file_records("a.csv", "a", [1e8]))
    Statement.objects.bulk_create(
        Statement(
            archive=archive,
            key="cpu.model" if at % 8 == 0 else "host",
            value=f"v{at}",
            raw=f"v{at}",
            reach="file",
            path=f"{at % 8}.csv",
            made_by=archive.owner,
        )
        for at in range(16)
    )
    holding = walked(ann, f"/archives/{archive.pk}/review", r"<td>(v\d+)</td>", "statements")
    past = walked(ann, f"/archives/{archive.pk}/review", r"<strong>(v\d+)</strong>", "statements")
    assert holding == [f"v{at}" for at in range(15, 7, -1)] and past == [f"v{at}" for at in range(7, -1, -1)]


def test_a_study_of_many_archives_comes_in_pages(ann, monkeypatch):
    monkeypatch.setattr(studies, "_ARCHIVES", 3)
    monkeypatch.setattr(gallery, "MAX_LISTED", 2)
    for at in range(7):
        records = [
            *making.file_records("a.csv", f"{at}", [1e8]),
            *(Warning("a.csv", n, "conflict", f"doubt {at}-{n}") for n in range(5)),
        ]
        Archive.objects.filter(pk=making.archive(public=True, records=records).pk).update(study="many", title=f"part {at}")
    assert walked(ann, "/studies/many", r"<li><a href[^>]*>(part \d)</a>: ") == [f"part {at}" for at in range(7)]
    first = f"/studies/many?after={ann.get('/studies/many').context['further']}"
    found, asked = [], first
    while asked:
        page = ann.get(asked)
        found += re.findall(r"<li>(doubt \d-\d)", page.content.decode())
        asked = page.context["doubts_further"] and f"{first}&doubts={page.context['doubts_further']}"
    assert found == [f"doubt {at}-{n}" for at in (3, 4, 5) for n in range(5)]


def test_what_was_measured_says_where_it_is_the_most_measured_only():
    archive = configured(4)
    assert [gallery.read_measured_systems([archive.pk], most)[1] for most in (3, 4)] == [True, False]


def test_the_values_of_a_spreadsheet_and_of_full_lines_come_in_pages(ann, monkeypatch):
    monkeypatch.setattr(raw_view, "_SHOWN", 3)
    monkeypatch.setattr(raw_view, "_CELLS", 3)
    archive = samples.received(b"\n".join(samples.dd(2 + at) for at in range(6)), "dd.txt")
    address = f"/archives/{archive.pk}/raw/dd.txt"
    wanted = sorted(str(run) for run in archive.run_set.values_list("pk", flat=True))
    assert sorted(set(walked(ann, address, r'class="taken" href="/runs/(\d+)"'))) == wanted
    monkeypatch.setattr(raw_view, "is_binary", lambda *_: True)
    found = walked(ann, address, r'<tr id="(\d+)"')
    assert len(found) == archive.measurements > 6


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_that_makes_no_sense_is_the_start(ann, mark):
    archive = configured(2)
    run = archive.run_set.first()
    Archive.objects.update(study="one")
    for address in (
        "/archives",
        f"/archives/{archive.pk}",
        f"/archives/{archive.pk}/review",
        "/systems",
        "/studies/one",
        "/studies",
        "/permalinks",
        f"/systems/{run.configuration.system_id}",
        f"/configurations/{run.configuration_id}",
        f"/runs/{run.pk}",
    ):
        asked = dict.fromkeys(
            (
                "before",
                "after",
                "files",
                "configurations",
                "collections",
                "withdrawn",
                "restored",
                "statements",
                "without",
                "doubts",
                "notes",
            ),
            mark,
        )
        assert ann.get(address, asked).status_code == 200


@pytest.mark.thorough
def test_a_page_far_down_reads_no_more_than_the_first():
    """Of three thousand archives, as many private ones of others among them: the first page and one near the end."""
    owner, other, day = making.user("ann"), making.user("bob"), datetime(2026, 1, 1, tzinfo=UTC)
    public = {"published_at": day, "read_at": day}
    rows = Archive.objects.bulk_create(
        Archive(sha256=f"{at}", name="a", size=1, owner=(owner, other)[at % 6 == 0], **public) for at in range(3000)
    )
    rows += Archive.objects.bulk_create(Archive(sha256=f"p{at}", name="a", size=1, owner=other) for at in range(3000))
    for at, row in enumerate(rows):
        row.uploaded_at = day + timedelta(minutes=at % 3000 // 3)
    Archive.objects.bulk_update(rows, ["uploaded_at"])
    connection.cursor().execute("ANALYZE webapp_archive")
    costs, found, mark = [], [], None
    for at in range(60):
        with CaptureQueriesContext(connection) as caught:
            some, mark = paginate(Archive.objects.listed_for(owner), mark, ("uploaded_at", "id"))
        found += [row.pk for row in some]
        if at in (0, 1, 55):
            costs.append(rows_read(caught.captured_queries))
    assert max(costs) <= 220
    assert len(found) == len(set(found)) == 3000 and mark is None


@given(st.lists(st.tuples(st.integers(-3, 3), st.sampled_from(["", "a", "=", "ü"])), unique=True, min_size=1), st.integers(1, 4))
def test_rows_that_are_here_come_once_each(rows, size):
    rows, found, mark = sorted(rows), [], None
    while True:
        some, mark = paginate_rows(rows, mark, lambda row: row, size)
        assert len(some) <= size
        found += some
        if mark is None:
            break
    assert found == rows


def test_files_are_found_by_their_paths():
    """Texts too are keys."""
    archive = making.archive()
    for path in ("b=", "a", "=a", "2020-01-01", "7", "ü"):
        File.objects.create(archive=archive, path=path, sha256="", status="parsed")
    found, mark = [], None
    while True:
        rows, mark = paginate(archive.files, mark, ("path",), size=1, rising=True)
        found += [row.path for row in rows]
        if mark is None:
            break
    assert sorted(found) == sorted(("b=", "a", "=a", "2020-01-01", "7", "ü"))


_SKIPS = re.compile(r"\bOFFSET\s+(?!0\b)[\d%{:]|\bPaginator\b|\[\s*[a-z_]+ ?:[^\]]*\+ ?(?:_[A-Z]+|size|PAGE)\b")


def test_no_list_skips_rows_that_it_has_read():
    modules = [path for path in Path(settings.BASE_DIR, "webapp", "views").rglob("*.py") if path.parent.name != "tests"]
    assert modules
    assert [str(module) for module in modules if _SKIPS.search(module.read_text())] == []
