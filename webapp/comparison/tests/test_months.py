"""The month of a run: an axis with true distances where it is asked for, and no reason to tell runs apart elsewhere."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta, timezone
from urllib.parse import parse_qsl

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from webapp.comparison import groups as grouping
from webapp.comparison import judged
from webapp.comparison.compare import compare
from webapp.comparison.compared_set import OPEN, ChosenRows
from webapp.comparison.dimensions import DIMENSIONS, value_sort_key
from webapp.comparison.groups import merge_months
from webapp.comparison.model import Comparison
from webapp.comparison.selection import parse
from webapp.comparison.summary.columns import Columns
from webapp.figures import make_figures
from webapp.formatting.printed_times import month_of, months_since_zero
from webapp.models import Measurement, Summary, Workload
from webapp.pages import rail
from webapp.permalinks import value_tables
from webapp.permalinks.bundles import permalink_bundle
from webapp.storage import configuration_rows, load, summary_writer
from webapp.tests import frozen, making, samples
from webapp.tests.rows import row

LINES = "metric=write.throughput&x=month&kind=lines"


def told(query: str):
    return parse(parse_qsl(query))


@pytest.mark.parametrize(
    ("started_at", "month"),
    [
        (None, None),
        ("", None),
        ("yesterday", None),
        ("2014", None),
        ("2014-13", None),
        ("14-05-01", None),
        ("2014-05", "2014-05"),
        ("2014-05-31", "2014-05"),
        ("2014-05-31T23:30:00", "2014-05"),
        ("2014-05-31T23:30:00+00:00", "2014-05"),
        ("2014-05-31T23:30:00-01:00", "2014-06"),
        ("2014-01-01T00:30:00+02:00", "2013-12"),
        ("0001-01-01T00:00:00+02:00", None),
        ("0987-06-05", "0987-06"),
    ],
)
def it_reads_the_month_in_utc(started_at, month):
    assert month_of(started_at) == month


@given(st.datetimes(datetime(1900, 1, 2), datetime(2900, 1, 1)), st.integers(-23 * 60, 23 * 60))
def it_says_the_same_of_one_moment_whatever_the_offset(moment, minutes):
    there = moment.replace(tzinfo=UTC).astimezone(timezone(timedelta(minutes=minutes)))
    assert month_of(there.isoformat()) == f"{moment:%Y-%m}"
    assert months_since_zero(f"{moment:%Y-%m}") == moment.year * 12 + moment.month - 1


def it_orders_months_by_time_and_the_unknown_last():
    mixed = ["2015-01", "~", "2014-11", "1999-12", "2014-05"]
    months = ["1999-12", "2014-05", "2014-11", "2015-01", "~"]
    assert sorted(mixed, key=lambda text: value_sort_key(DIMENSIONS["month"], text)) == months


def drawn(query: str, *rows):
    selection = told(query)
    found = grouping.make_panels(selection, Columns(rows))
    return judged.judge_groups(selection, ChosenRows(Columns(rows), OPEN), found, judged.ObservedValues())


def figure(query: str, *rows):
    [found] = make_figures(Comparison(told(query), drawn(query, *rows), [], [], [], [], [], 0, 0, ""))
    return found


def it_places_months_at_their_true_distances():
    found = figure(LINES, row(1.0, month="2013-12"), row(2.0, month="2014-01"), row(3.0, month="2014-05"), row(4.0))
    first, second, third, unknown = found["x"]["numbers"]
    assert (second - first, third - second, unknown) == (1, 4, None)
    assert (found["kind"], found["x"]["scale"], found["x"]["label"]) == ("lines", "linear", "Month")
    assert found["x"]["values"] == ["2013-12", "2014-01", "2014-05", "unknown"]
    assert "1 run for which month is unknown" in found["notes"][-1]


def it_needs_a_month_to_draw_lines():
    assert figure(LINES, row(1.0))["kind"] == "bars"


@given(st.lists(st.lists(st.floats(1, 1e6), min_size=1, max_size=25), min_size=2, max_size=4), st.booleans())
def it_puts_months_together_as_the_summary_would(values, folded):
    """`folded`: the rows as the summary keeps them beyond its limit; else each has all its values."""
    rows = [row(*some, month=f"2014-{at:02}", compression="lz4") for at, some in enumerate(values, 1)]
    every = summary_writer.aggregate([value for one in rows for value in one.values], [at for one in rows for at in one.ids])
    if folded:
        kept = [summary_writer.aggregate(one.values, one.ids) for one in rows]
        for one, fold in zip(rows, kept, strict=True):
            one.n, one.values = fold.n + 1, [*fold.values]  # a value that the row does not show
            one.histogram = {"0": 1, **dict.fromkeys(map(summary_writer.histogram_bucket, fold.values), 1)}
    [found] = merge_months(told("x=compression"), Columns(rows)).rows
    assert found.n == sum(one.n for one in rows)
    assert (found.low, found.high) == (every.low, every.high)
    if not folded:
        assert (found.values, found.ids, found.histogram) == (
            [value for one in rows for value in one.values],
            [at for one in rows for at in one.ids],
            None,
        )
        assert (found.mean, found.m2) == (pytest.approx(every.mean), pytest.approx(every.m2, abs=1e-3))
    assert [len(one.values) for one in rows] == [len(some) for some in values]


@pytest.mark.parametrize(
    "query", ["x=month", "x=compression&series=month", "x=compression&facet=month", "x=compression&hold=month"]
)
def it_keeps_months_apart_where_they_are_asked_for(query):
    rows = Columns([row(1.0, month="2014-05"), row(2.0, month="2014-06")])
    assert merge_months(told(query), rows) is rows


def it_never_puts_unlike_rows_together():
    rows = Columns(
        [
            row(1.0, month="2014-05", threads=1),
            row(2.0, month="2014-06", threads=2),
            row(3.0, month="2014-06", threads=1, memory=4),
            row(4.0, month="2014-07", threads=1),
        ]
    )
    found = merge_months(told("x=compression&pool=threads"), rows)
    assert sorted(tuple(one.values) for one in found.rows) == [(1.0, 4.0), (2.0,), (3.0,)]


def preset(query: str):
    comparison = compare(told(query), AnonymousUser())
    return next(one for one in rail.list_presets(comparison) if one.label == "over time")


def published(**months: str | None):
    """An archive with a file of three runs for each name, the one at 2014-05-03 faster than that of the month before."""

    def records():
        for at, (name, started_at) in enumerate(months.items(), 1):
            values = [1e6 * at, 1.1e6 * at, 1.2e6 * at]
            yield from making.file_records(f"{name}.txt", f"{name} {started_at}", values, started_at=started_at)

    return making.archive(public=True, records=records())


@pytest.mark.django_db
class TestOnTheDatabase:
    def it_keeps_months_apart_in_the_store(self):
        published(a="2014-05-03T10:00:00", b="2014-05-30", c="2014-06-01", d=None)
        assert sorted(Workload.objects.values_list("month", flat=True), key=str) == ["2014-05", "2014-06", None]
        assert sorted(Summary.objects.filter(scope=0).values_list("n", flat=True)) == [3, 3, 6]

    def it_finds_workloads_from_before_months_again(self):
        was = configuration_rows.json_digest(("bonnie++", "2.00", "sample", "measured", {"file_size": 2**30}))
        Workload.objects.create(digest=was, tool="bonnie++", tool_version="2.00", params={"file_size": 2**30})
        published(a=None)
        assert Workload.objects.get().digest == was

    def it_tells_months_of_what_is_read_again(self):
        archive = published(a=None)
        load.store(archive.pk, making.file_records("a.txt", "a", [5.0], started_at="2014-05-03"))
        assert Measurement.objects.get().workload.month == "2014-05"

    def it_pools_months_where_nobody_asks(self):
        published(a="2014-05-03", b="2014-06-01", c=None)
        [group] = compare(told("metric=write.throughput&x=compression"), AnonymousUser()).groups
        assert (group.runs, group.configurations, group.center) == (9, 1, 2.2e6)
        assert len(group.points) == 9 and group.interval == "median"

    def it_pools_months_of_many_runs_with_every_value_where_exactness_is_asked(self):
        for month in ("05", "06"):
            making.archive(
                public=True,
                records=making.file_records(
                    f"{month}.txt", month, [float(at) for at in range(1, 42)], started_at=f"2014-{month}-01"
                ),
            )
        query = told("metric=write.throughput&x=compression&control=off")
        with CaptureQueriesContext(connection) as caught:
            [exact] = compare(query, AnonymousUser(), exact=True).groups
        assert sum("WITH wanted" in one["sql"] for one in caught.captured_queries) == 1  # for both rows
        [rough] = compare(query, AnonymousUser()).groups
        assert (len(exact.points), exact.center, exact.rough) == (82, 21.0, False)
        assert (rough.runs, rough.rough) == (82, True) and rough.center == pytest.approx(21.0, rel=0.005)

    def it_filters_and_groups_by_month(self):
        published(a="2014-05-03", b="2014-06-01", c=None)
        groups = compare(told("metric=write.throughput&x=month&control=off"), AnonymousUser()).groups
        assert {group.x: group.center for group in groups} == {"2014-05": 1.1e6, "2014-06": 2.2e6, "~": pytest.approx(3.3e6)}
        [group] = compare(told("metric=write.throughput&x=compression&month=2014-06"), AnonymousUser()).groups
        assert group.center == 2.2e6

    def it_names_the_month_among_what_else_differs_and_raises_no_flag(self):
        published(a="2014-05-03", b="2014-06-01")
        found = compare(told("metric=write.throughput&x=compression"), AnonymousUser())
        assert [one.name for one in found.differs] == ["month"]
        assert "unequal" not in {flag.id for flag in found.flags}

    def it_offers_the_comparison_over_time(self, client):
        published(a="2014-05-03", b="2014-06-01", c=None)
        offered = preset("metric=write.throughput&x=compression&tool=bonnie%2B%2B")
        assert (offered.reason, offered.chosen) == ("", False)
        assert offered.query == LINES + "&tool=bonnie%2B%2B"
        assert preset(offered.query).chosen
        page = client.get(f"/compare?{offered.query}").content.decode()
        assert re.search(r'aria-current="true"[^>]*>over time</a>', page) and "2014-06" in page

    @pytest.mark.parametrize(
        ("months", "query", "reason"),
        [
            ({"a": "2014-05-03", "b": None}, "x=compression", "No two months are known of these runs."),
            ({"a": "2014-05-03"}, "x=compression", "The same in every run: 2014-05."),
            ({"a": None}, "x=compression", "Not recorded in these runs."),
            ({"a": "2014-05-03", "b": "2014-06-01"}, "x=compression&month=2014-05", "The same in every run: 2014-05."),
        ],
    )
    def it_is_pale_where_no_two_months_are_known(self, months, query, reason):
        published(**months)
        assert preset(f"metric=write.throughput&{query}").reason == reason

    def it_counts_one_workload_for_all_months(self, client):
        archive = published(a="2014-05-03", b="2014-06-01")
        configuration = Summary.objects.first().configuration_id
        page = client.get(f"/configurations/{configuration}").content.decode()
        assert re.search(
            r'<span title="write\.throughput">[^<]+</span></a></th><td class="number">1</td><td class="number">6</td>', page
        )
        [panel] = value_tables.comparison_of_archive(archive)[0].panels
        assert [(group.series, group.runs) for group in panel.groups] == [("", 6)]

    @pytest.mark.parametrize(
        "query",
        [
            LINES,
            "metric=write.throughput&x=host",
            "metric=write.throughput&x=host&stat=mean",
            "metric=write.throughput&x=host&series=month&stat=mean",
        ],
    )
    def it_freezes_what_is_drawn(self, client, query):
        table = "tool,metric,value,unit,started_at,config.host\n" + "".join(
            f"dd,write.throughput,{value},MiB/s,2014-{month}-01T12:00:00,tank\n"
            for month, some in (("01", (90, 91, 95)), ("02", (80, 82)), ("05", (70, 71)))
            for value in some
        )
        samples.received(samples.tar({"table.csv": table.encode()}))
        link = frozen.freeze(f"{query}&origin=reported")
        assert permalink_bundle.check_permalink(link)[0] == []
        record = json.loads(bytes(link.record))
        [one] = record["figures"]
        if query == LINES:
            assert one["kind"] == "lines" and one["x"]["values"] == ["2014-01", "2014-02", "2014-05"]
            first, second, third = one["x"]["numbers"]
            assert third - second == 3 * (second - first)
        for name in ("svg", "tex", "csv"):
            answer = client.get(f"/p/{link.pk}.{name}")
            assert answer.status_code == 200
            assert ("2014-02" in answer.content.decode()) == ("month" in query or name == "csv")
