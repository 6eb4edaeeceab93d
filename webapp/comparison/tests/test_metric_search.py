"""A search over all metrics: which one is shown, what has the words elsewhere, and what its pages cost."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from webapp.comparison import search
from webapp.comparison.compare import compare
from webapp.comparison.search import find_public_example
from webapp.comparison.selection import parse
from webapp.comparison.summary import reader, source
from webapp.http.data_version import data_version
from webapp.pages.partial_answers import find_row_keys
from webapp.pages.unknown_parts import make_chips
from webapp.tests import caches, making
from webapp.tests.reading import rows_read

pytestmark = pytest.mark.django_db
NOBODY = AnonymousUser()
DEBIAN = {"os.name": "Debian", "os.family": "Linux", "pool.compression": "lz4"}
FREEBSD = {"os.name": "FreeBSD", "os.family": "FreeBSD", "pool.compression": "lz4"}


def published(config: dict, *, public: bool = True, owner: str = "ann", **values: list[float]):
    """An archive with these values by metric, whose dots are written as two underscores."""

    def records():
        for name, some in values.items():
            metric = name.replace("__", ".")
            yield from making.file_records(f"{name}.txt", f"{config} {values} {name}", some, metric=metric, config=config)

    return making.archive(public=public, owner=owner, records=records())


@pytest.fixture
def archives():
    """FreeBSD lz4 has no usual metric; Debian has."""
    published(DEBIAN, write__throughput=[1.0, 2.0, 3.0], seek__rate=[4.0])
    published(FREEBSD, extract__elapsed=[5.0], remove__elapsed=[6.0], seek__rate=[7.0, 8.0, 9.0])


def found(*pairs, viewer=NOBODY):
    return compare(parse(pairs), viewer)


def counts(comparison) -> list[tuple[str, int]]:
    return [(one.metric, one.count) for one in comparison.search.metrics]


EVERYWHERE = [("seek.rate", 3), ("extract.elapsed", 1), ("remove.elapsed", 1)]


@pytest.mark.parametrize(
    ("pairs", "metrics", "values", "elsewhere"),
    [
        ([("q", "FreeBSD lz4")], ("seek.rate",), 3, EVERYWHERE),
        ([("q", "lz4")], ("write.throughput",), 3, [("write.throughput", 3), ("seek.rate", 4), *EVERYWHERE[1:]]),
        ([("q", "FreeBSD"), ("metric", "write.throughput")], ("write.throughput",), 0, EVERYWHERE),
        ([("q", "FreeBSD"), ("metric", "remove.elapsed")], ("remove.elapsed",), 1, []),
        ([("q", "FreeBSD zstd-99")], ("write.throughput",), 0, []),
        ([("q", "FreeBSD"), ("os", "Debian")], ("write.throughput",), 0, []),
        ([("q", "lz4"), ("os", "FreeBSD")], ("seek.rate",), 3, EVERYWHERE),
    ],
)
def it_shows_a_metric_that_has_the_words(archives, pairs, metrics, values, elsewhere):
    comparison = found(*pairs)
    assert (comparison.selection.metrics, comparison.runs) == (metrics, values)
    assert counts(comparison) == elsewhere


def it_has_no_result_without_a_search(archives, client):
    assert found(("metric", "write.throughput")).search is None
    assert client.get("/compare.json?metric=write.throughput").json()["search"] is None


def it_gives_links_that_show_as_many_values_as_they_say(archives):
    for metric in found(("q", "FreeBSD lz4"), ("metric", "write.throughput"), ("x", "os")).search.metrics:
        shown = found(*parse_qsl(metric.query))
        assert (shown.runs, shown.selection.x, shown.selection.metrics) == (metric.count, "os", (metric.metric,))


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([("q", "FreeBSD zstd-99")], [("FreeBSD", 5, 0), ("zstd-99", 0, 0)]),
        ([("q", "FreeBSD lz4"), ("os", "Debian")], [("FreeBSD", 0, 5), ("lz4", 4, 0)]),
        ([("q", "FreeBSD lz4")], [("FreeBSD", 3, 0), ("lz4", 4, 0)]),
    ],
)
def it_says_which_word_is_nowhere(archives, pairs, expected):
    """Of values of the drawn metric, of all where it has nothing."""
    assert [(word.text, word.count, word.elsewhere) for word in found(*pairs).search.words] == expected


@pytest.mark.parametrize(
    ("q", "filters", "rest", "x", "metrics"),
    [
        ("Debian FreeBSD", (("os", ("Debian", "FreeBSD")),), "", "os", [("seek.rate", 4)]),
        ("lz4 freebsd debian", (("os", ("Debian", "FreeBSD")),), "lz4", "os", [("seek.rate", 4)]),
        ("lz4 FreeBSD", (), "lz4 FreeBSD", None, EVERYWHERE),
        ("Debian BSD", (("os", ("Debian", "FreeBSD")),), "", "os", [("seek.rate", 4)]),
        ("free BSD", (), "free BSD", None, EVERYWHERE),
        ("Debian Plan", (), "Debian Plan", None, []),
    ],
    ids=["two values", "with another word", "two dimensions", "a part of a value", "two parts of one", "one is nowhere"],
)
def it_takes_values_of_one_dimension_as_alternatives(archives, q, filters, rest, x, metrics):
    comparison = found(("q", q))
    assert (comparison.selection.filters, comparison.selection.q) == (filters, rest)
    assert x in (None, comparison.selection.x)
    assert counts(comparison) == metrics and comparison.search.typed == q


def it_takes_them_as_alternatives_only_where_one_metric_has_all(archives):
    """Of writing there is Debian alone; with the metric named nothing has both, and the page says what has."""
    comparison = found(("q", "Debian FreeBSD"), ("metric", "write.throughput"))
    assert not comparison.runs and counts(comparison) == [("seek.rate", 4)]
    assert found(("q", "Debian FreeBSD"), ("metric", "seek.rate"), ("x", "compression")).selection.x == "compression"
    assert found(("q", "Debian FreeBSD"), ("os", "Debian")).selection.q == "Debian FreeBSD"


def it_leaves_words_alone_that_fit_two_dimensions():
    published({"pool.dedup": "on", "pool.atime": "off"}, write__throughput=[1.0])
    published({"pool.dedup": "off", "pool.atime": "on"}, write__throughput=[2.0])
    assert found(("q", "on off")).selection.filters == ()


def it_finds_nothing_of_what_others_keep_private(archives):
    published({"os.name": "Plan 9"}, public=False, owner="bob", remove__elapsed=[1.0])
    assert counts(found(("q", "plan"))) == [] and not found(("q", "plan")).search.words[0].count
    assert counts(found(("q", "plan"), viewer=making.user("bob"))) == [("remove.elapsed", 1)]


def it_counts_alike_in_arrays(archives, monkeypatch):
    """Many rows are counted without making rows of them, with the same result."""
    mine = published(FREEBSD, public=False, owner="bob", remove__elapsed=[1.0, 2.0])
    theirs = published(DEBIAN, seek__rate=[1.0, 2.0])
    bob = making.user("bob")
    for pairs in ([], [("overlay", f"{mine.pk}")], [("overlay", f"{theirs.pk}")], [("archive", f"{theirs.pk}")]):
        asked = [("q", "lz4"), *pairs]
        few = found(*asked, viewer=bob)
        with monkeypatch.context() as patch:
            patch.setattr(source, "MAX_COUNTED_ROWS", 0)
            many = found(*asked, viewer=bob)
        assert (counts(few), few.search.words) == (counts(many), many.search.words)
        assert few.search.metrics


def it_makes_the_rows_that_it_counts(archives):
    version = data_version()
    names = ("remove.elapsed", "seek.rate")
    counted = reader.read_columns(version, (0,), names)
    assert counted.total == sum(row.n for row in counted.rows) == 5
    assert counted.texts("os") == [row.texts["os"] for row in counted.rows]
    assert counted.take(counted.n > 2).rows[0] is counted.take(counted.n > 2).rows[0]
    assert len(reader.read_columns(version, (0,), ())) == 0


def it_names_the_metrics_that_are_too_large_to_search(archives, monkeypatch):
    monkeypatch.setattr(source, "MAX_COUNTED_ROWS", 0)
    monkeypatch.setattr(reader, "MAX_ROWS", 1)
    result = found(("q", "FreeBSD"), ("metric", "copy.elapsed")).search
    assert result.metrics == ()
    assert set(result.not_searched) == {"Random seeks, rate", "Extract, elapsed time", "Remove tree, elapsed time"}


def it_shows_the_page_where_the_words_cannot_be_explained(archives, monkeypatch):
    def fail(*_):
        raise ValueError

    monkeypatch.setattr(search, "read_words", fail)
    comparison = found(("q", "debian"))
    assert (comparison.search, comparison.runs) == (None, 3)


def it_leaves_out_rows_of_the_chosen_metric_only(archives):
    selection, keys = find_row_keys(parse([("q", "FreeBSD")]), NOBODY, data_version())
    assert selection.metrics == ("seek.rate",) and {metric for metric, _, _ in keys} == {"seek.rate"}


def links_of(page: str) -> set[str]:
    return {address.replace("&amp;", "&") for address in re.findall(r'href="/compare\?([^"]*)"', page)}


def it_has_chips_with_links(archives, client):
    page = client.get("/compare?q=FreeBSD+lz4+zstd-99").content.decode()
    assert "zstd-99</span>" in page and "found in no configuration or workload" in page
    page = client.get("/compare?q=FreeBSD+lz4").content.decode()
    base = "metric=seek.rate&x=compression"
    assert {f"{base}&os=FreeBSD&q=lz4", f"{base}&os_family=FreeBSD&q=lz4", f"{base}&q=lz4", f"{base}&q=FreeBSD"} <= links_of(page)
    assert 'aria-label="Remove FreeBSD from the search"' in page


def it_says_what_has_the_words(archives, client):
    page = client.get("/compare?q=FreeBSD+lz4&metric=write.throughput").content.decode()
    listed = re.findall(r'">([^<]+)</a> <span class="number">(\d+)</span></li>', page.split("found-metrics")[1])
    assert listed[:3] == [("Random seeks, rate", "3"), ("Extract, elapsed time", "1"), ("Remove tree, elapsed time", "1")]
    assert {f"metric={name}&q=FreeBSD+lz4" for name, _ in EVERYWHERE} <= links_of(page)


def it_says_the_same_as_data(archives, client):
    data = client.get("/compare.json?q=FreeBSD+zstd-99").json()["search"]
    assert (data["metrics"], data["not_searched"]) == ([], [])
    freebsd, zstd = data["words"]
    assert (zstd["text"], zstd["count"], zstd["readings"]) == ("zstd-99", 0, [])
    assert (freebsd["readings"][0]["dimension"], freebsd["readings"][0]["count"]) == ("os", 5)
    assert "os=FreeBSD" in freebsd["readings"][0]["query"] and freebsd["without"] == "q=zstd-99"


def it_leads_from_nothing_to_something(archives):
    """Without the word that is nowhere, and with a filter in the place of a word: a metric is shown that has runs."""
    for pairs, chips in [
        ([("q", "FreeBSD zstd-99")], [1]),
        ([("q", "FreeBSD"), ("metric", "write.throughput")], []),
        ([("q", "FreeBSD lz4"), ("metric", "write.throughput")], []),
    ]:
        comparison = found(*pairs)
        assert not comparison.runs
        made = make_chips(comparison)
        queries = [made[number].rest for number in chips] or [link.query for chip in made for link in chip.targets]
        assert queries and all(found(*parse_qsl(query)).runs for query in queries)


def it_does_not_blame_the_search_where_something_else_leaves_nothing(archives, client):
    page = client.get("/compare?q=FreeBSD&metric=seek.rate&x=os&normalise=disk").content.decode()
    assert "No run passes these choices" in page and "has <q>" not in page


def it_offers_to_leave_out_the_words_that_match_nothing(archives, client):
    page = client.get("/compare", {"q": "FreeBSD zstd-99"}).content.decode()
    assert re.findall(r">Search without ([^<]+)</a>", page) == ["zstd-99"]


def it_escapes_what_was_searched(archives, client):
    page = client.get("/compare", {"q": "<script>alert(1)</script> \u202e"}).content.decode()
    assert "<script>alert" not in page and "\u202e</span>" not in page


@pytest.mark.parametrize("query", ["q=FreeBSD+lz4", "q=FreeBSD&metric=write.throughput", "q=zstd-99", "q=lz4&os=FreeBSD"])
@pytest.mark.parametrize("arrays", [False, True])
def it_asks_little_and_reads_no_more_where_the_same_was_measured_more_often(client, archives, monkeypatch, query, arrays):
    if arrays:
        monkeypatch.setattr(source, "MAX_COUNTED_ROWS", 0)
    costs = []
    for number in range(2):
        for host in "abcd":
            published(DEBIAN | {"host": host}, write__throughput=[1.0 + number] * 40, seek__rate=[4.0] * 40)
            published(FREEBSD | {"host": host}, remove__elapsed=[6.0 + number] * 40, seek__rate=[7.0] * 40)
        cache.clear()
        caches.clear()
        with CaptureQueriesContext(connection) as asked:
            assert client.get(f"/compare?{query}").status_code == 200
        costs.append((len(asked), rows_read(asked.captured_queries)))
    (few, few_rows), (many, many_rows) = costs
    assert few <= many <= 10
    assert many_rows <= few_rows + 20


def it_has_an_example_that_finds_something(client, archives):
    q = find_public_example(data_version())
    assert q == "Debian lz4" and found(("q", q)).runs
    assert '<a href="/compare?q=Debian%20lz4">Debian lz4</a>' in client.get("/").content.decode()


def it_has_no_example_where_nothing_is_public(client):
    published(DEBIAN, public=False, write__throughput=[1.0])
    assert find_public_example(data_version()) == ""
    assert "For example" not in client.get("/").content.decode()
