"""The comparison page and its twins on the database: who sees what, how many queries, the same numbers everywhere."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test.utils import CaptureQueriesContext

from webapp.comparison.compare import compare
from webapp.comparison.question import ComparisonScopes, select_scopes
from webapp.comparison.selection import parse
from webapp.comparison.summary import reader
from webapp.models import Archive, Measurement
from webapp.storage import load, withdrawals
from webapp.tests import making

pytestmark = pytest.mark.django_db
GIB = 2**30
NOBODY = AnonymousUser()


def published(values: dict[str, list[float]], *, owner="ann", public=True, **other) -> Archive:
    """An archive of one file per compression."""

    def records():
        for name, some in values.items():
            config = {"os.family": "Linux", "pool.compression": name} | other.get("config", {})
            facts = {key: value for key, value in other.items() if key != "config"}
            yield from making.file_records(f"{owner}-{name}.txt", f"{owner} {name} {some} {other}", some, config=config, **facts)

    return making.archive(owner=owner, public=public, records=records())


def centers(query: str, viewer=NOBODY) -> dict[str, float]:
    """x (and series) -> centre of every group."""
    pairs = [tuple(part.split("=", 1)) for part in query.split("&")]
    return {" ".join(part for part in (g.x, g.series, g.facet) if part): g.center for g in compare(parse(pairs), viewer).groups}


Q = "metric=write.throughput&x=compression"
ALL = f"{Q}&control=off"
"""Every archive is a machine of its own: without control all are drawn."""


def it_groups_by_any_dimension():
    published({"lz4": [100.0, 120.0, 110.0], "off": [80.0]})
    assert centers(Q) == {"off": 80.0, "lz4": pytest.approx((100.0 * 120.0 * 110.0) ** (1 / 3))}
    assert centers(f"{Q}&stat=median") == centers(ALL) == {"off": 80.0, "lz4": 110.0}


def it_is_filtered_and_grouped_by_what_compression_on_means():
    for n, meant in enumerate(("lz4", "lzjb", None)):
        config = {"pool.compression": "on"} | ({"pool.compression_effective": meant} if meant else {})
        making.archive(public=True, records=making.file_records(f"{n}", f"{n}", [1.0 + n], config=config))
    assert centers("metric=write.throughput&x=compression_effective&control=off") == {"lz4": 1.0, "lzjb": 2.0, "~": 3.0}
    assert centers("metric=write.throughput&x=compression_effective&compression_effective=lzjb") == {"lzjb": 2.0}


def it_shows_private_values_to_their_owner_only():
    published({"lz4": [100.0], "off": [80.0]})
    private = published({"lz4": [300.0], "off": [500.0]}, owner="bob", public=False)
    ann, bob = making.user("ann"), making.user("bob")
    assert centers(ALL) == centers(ALL, ann) == {"off": 80.0, "lz4": 100.0}
    assert centers(ALL, bob) == {"off": 290.0, "lz4": 200.0}
    for asked in ("archive", "overlay"):
        query = f"{Q}&{asked}={private.pk}"
        for viewer in (NOBODY, ann):
            shown = compare(parse([tuple(part.split("=")) for part in query.split("&")]), viewer)
            assert 300.0 not in [point.value for group in shown.groups for point in group.points]
            assert "missing" in {flag.id for flag in shown.flags}
            assert not any("upload.tar" in flag.sentence for flag in shown.flags)
    assert centers(f"{Q}&archive={private.pk}", bob) == {"off": 500.0, "lz4": 300.0}


def it_tells_nobody_whether_an_archive_of_that_number_exists():
    private = published({"lz4": [300.0]}, owner="bob", public=False)
    told = [
        [flag.sentence.replace(str(pk), "N") for flag in compare(parse([("archive", str(pk))]), NOBODY).flags]
        for pk in (private.pk, private.pk + 1000)
    ]
    assert told[0] == told[1] != []


def it_reads_the_same_twice_and_sees_a_change_at_once():
    published({"lz4": [100.0], "off": [80.0]})
    assert centers(ALL) == centers(ALL)
    mine = published({"lz4": [300.0], "zle": [70.0]}, owner="bob")
    assert centers(ALL) == {"off": 80.0, "lz4": 200.0, "zle": 70.0}
    load.withdraw(mine.pk, "wrong disks")
    assert centers(ALL) == {"off": 80.0, "lz4": 100.0}


QUERIES = [
    "",
    Q,
    Q + "&compression=lz4",
    Q + "&q=linux",
    "metric=write.throughput&metric=read.throughput&x=os",
    Q + "&baseline=off",
    "archive=1&x=os",
    Q + "&hold=os&pool=file_size",
    Q + "&overlay={public}",
    Q + "&overlay={private}&overlay={public}&os=~",
    Q + "&archive={public}&overlay={private}&q=linux",
]


@pytest.mark.parametrize("address", [f"/compare?{query}" for query in QUERIES] + [f"/compare.json?{Q}", f"/compare.csv?{Q}"])
@pytest.mark.parametrize("signed_in", [False, True])
def it_asks_at_most_ten_queries(client, address, signed_in, django_assert_max_num_queries):
    public = published({"lz4": [100.0] * 7, "off": [80.0, 70.0]})
    private = published({"lz4": [100.0] * 3, "off": [85.0, 75.0]}, owner="bob", public=False)
    published({"lz4": [90.0] * 3, "off": [87.0, 78.0]}, owner="cec")
    if signed_in:
        client.force_login(making.user("bob"))
    with django_assert_max_num_queries(12 if signed_in else 10):  # an owner has private archives
        assert client.get(address.format(public=public.pk, private=private.pk)).status_code == 200


def it_asks_no_more_for_more(client):
    published({f"gzip-{level}": [100.0 + level] for level in range(1, 10)})
    with CaptureQueriesContext(connection) as few:
        client.get(f"/compare?{Q}")
    published({f"zstd-{level}": [100.0 + level] * 40 for level in range(1, 20)}, owner="bob")
    with CaptureQueriesContext(connection) as many:
        client.get(f"/compare?{Q}")
    assert len(many) <= len(few)


def it_asks_less_for_the_next_choice():
    """Dimensions are read once for each change of the data, values once for each row: a filter asks for lines only."""
    published({"lz4": [100.0] * 7, "off": [80.0, 70.0]})
    centers(Q)
    with CaptureQueriesContext(connection) as asked:
        assert centers(f"{Q}&compression=lz4") == {"lz4": 100.0}
    tables = [re.findall(r"webapp_(\w+)", query["sql"]) for query in asked]
    assert not any("summary" in names for names in tables)


def it_never_reads_the_table_of_measurements_but_by_id():
    """Shown values by their ids, withdrawn ones by the ranges that their withdrawals hold."""
    published({"lz4": [100.0] * 40, "off": [80.0, 70.0]})
    with CaptureQueriesContext(connection) as asked:
        centers(Q)
    for query in asked:
        if "webapp_measurement" in query["sql"]:
            assert "n.id = k.id" in query["sql"] or "n.id >= ran.low AND n.id < ran.high" in query["sql"]


def it_reads_the_values_of_the_drawn_rows_only():
    published({f"gzip-{level}": [100.0 + level] * 3 for level in range(1, 10)})
    centers(f"{Q}&compression=gzip-3")
    # The kept values are the rows read: one configuration matches, one row was read.
    [kept] = reader._columns_cache.values()
    assert len(kept) == 9 and sorted(len(row.values) for row in kept.rows) == [0] * 8 + [3]


@pytest.mark.parametrize("query", [Q, f"{Q}&baseline=off", f"{Q}&stat=mean", f"{Q}&unit=MB", f"{Q}&facet=os_family"])
def it_has_the_same_numbers_in_every_twin(client, query):
    """Centre and interval of JSON, CSV and table; the values of JSON, CSV and the lines of the file."""
    published({"lz4": [100e6, 120e6, 110e6, 130e6, 90e6, 105e6, 95e6], "off": [80e6, 70e6, 75e6]})
    data = json.loads(client.get(f"/compare.json?{query}").content)
    groups = {group["x"]: group for panel in data["panels"] for group in panel["groups"]}
    rows = list(csv.DictReader(io.StringIO(client.get(f"/compare.csv?{query}").content.decode())))
    page = client.get(f"/compare?{query}").content.decode()
    factor = 1e6 if "unit=MB" in query else 2**20
    for x, group in groups.items():
        mine = [row for row in rows if row["x"] == x]
        assert [float(row["value"]) for row in mine] == [point["value"] for point in group["points"]]
        assert [row["address"] for row in mine] == [point["address"] for point in group["points"]]
        assert {float(row["group_center"]) for row in mine} == {group["center"]}
        assert {row["group_low"] for row in mine} == {"" if group["low"] is None else repr(group["low"])}
        assert {row["group_flags"] for row in mine} == {" ".join(group["flags"])}
        assert f'title="{shown_exactly(group["center"] / factor)}"' in page
        assert all(point["address"] in page for point in group["points"])
        verdict = group["verdict"]
        assert {row["verdict"] for row in mine} == {verdict["word"] if verdict else ""}


def shown_exactly(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)


def it_names_what_it_does_not_understand(client):
    published({"lz4": [100.0]})
    page = client.get(f"/compare?{Q}&colour=red").content.decode()
    assert "colour=red" in page


def it_searches_in_configurations_and_workloads():
    published({"lz4": [100.0]}, config={"os.name": "Debian", "memory": 64 * GIB})
    published({"lz4": [200.0]}, owner="bob", config={"os.name": "FreeBSD", "cpu.model": "Xeon E5-2680"})
    x = "metric=write.throughput&x=os"
    assert centers(f"{x}&q=xeon") == {"FreeBSD": 200.0}
    assert centers(f"{x}&q=64GiB") == {"Debian": 100.0}
    assert centers(f"{x}&q=bonnie++ e5-2680") == {"FreeBSD": 200.0}
    assert centers(f"{x}&q=e5-2680 debian") == {}


def it_lays_an_archive_over_the_rest_and_takes_it_out_of_it():
    published({"lz4": [100.0, 101.0], "off": [80.0]})
    mine = published({"lz4": [300.0], "off": [60.0]}, owner="bob")
    assert centers(ALL) == {"off": 70.0, "lz4": 200.25}  # of two machines, each with its median
    assert centers(f"{ALL}&overlay={mine.pk}") == {
        f"off archive {mine.pk}": 60.0,
        "off others": 80.0,
        f"lz4 archive {mine.pk}": 300.0,
        "lz4 others": 100.5,
    }


def it_lays_a_private_archive_over_the_public_ones_for_its_owner():
    public = published({"lz4": [100.0], "off": [80.0]})
    mine = published({"lz4": [300.0]}, owner="bob", public=False)
    bob = making.user("bob")
    over = f"&overlay={mine.pk}"
    assert centers(Q + over, bob) == {"off others": 80.0, "lz4 others": 100.0, f"lz4 archive {mine.pk}": 300.0}
    assert centers(f"{Q}&archive={public.pk}{over}", bob) == centers(Q + over, bob)
    assert centers(Q + over) == {"off others": 80.0, "lz4 others": 100.0}


def it_gives_the_overlay_an_axis_of_its_own():
    published({"lz4": [100.0]})
    mine = published({"lz4": [300.0]}, owner="bob")
    query = parse([("x", "compression"), ("series", "os_family"), ("overlay", str(mine.pk))])
    assert compare(query, NOBODY).selection.facet == "source"


def it_takes_an_archive_out_of_many_values():
    published({"lz4": [100.0 + at for at in range(40)]})
    mine = published({"lz4": [300.0 + at for at in range(35)]}, owner="bob")
    found = compare(parse([("x", "compression"), ("overlay", str(mine.pk))]), NOBODY).groups
    others = next(group for group in found if group.series == "others")
    assert others.runs == 40
    assert others.center == pytest.approx(119.5, rel=0.01)


def it_names_the_scopes_once_each():
    public = published({"lz4": [100.0]})
    mine = published({"lz4": [300.0]}, owner="bob", public=False)
    bob = making.user("bob")
    own = {mine.pk: "upload.tar"}
    assert select_scopes(parse([]), bob) == ComparisonScopes((0, mine.pk), {}, frozenset(), (), own)
    assert select_scopes(parse([("overlay", str(public.pk))]), bob) == ComparisonScopes(
        (0, mine.pk), {public.pk: "upload.tar"}, frozenset([public.pk]), (), own
    )
    assert select_scopes(parse([("archive", str(public.pk)), ("archive", "99999")]), bob).missing == (99999,)


def it_says_what_was_withdrawn_and_why():
    archive = published({"lz4": [100.0, 200.0], "off": [80.0]})
    value = Measurement.objects.get(value=200.0)
    withdrawals.withdraw_measurement(archive.pk, value.pk, "The disk was failing.", making.user("ann"))
    assert centers(Q) == {"off": 80.0, "lz4": 100.0}

    def told(query):
        return [
            f.sentence for f in compare(parse([tuple(p.split("=")) for p in query.split("&")]), NOBODY).flags if f.id == "withdrawn"
        ]

    assert told(Q) == ["1 value is withdrawn by the uploader and not drawn: The disk was failing."]
    assert told(f"{Q}&compression=off") == told("metric=seek.rate&x=os") == []
    load.withdraw(archive.pk, "All wrong.")
    assert told(Q) == []
    assert told(f"{Q}&archive={archive.pk}") == [
        f"All that was selected is withdrawn by the uploader and not drawn: archive {archive.pk} as a whole: All wrong."
    ]


def it_tells_nobody_what_was_withdrawn_from_a_private_archive():
    private = published({"lz4": [100.0, 200.0]}, owner="bob", public=False)
    published({"lz4": [50.0]})
    value = Measurement.objects.get(value=200.0)
    withdrawals.withdraw_measurement(private.pk, value.pk, "Secret reason.", making.user("bob"))
    sentences = {viewer: str(compare(parse([]), viewer).flags) for viewer in (NOBODY, making.user("bob"))}
    assert ["Secret reason." in told for told in sentences.values()] == [False, True]


def it_offers_ones_own_archives_to_be_laid_over():
    public = published({"lz4": [100.0]})
    mine = published({"lz4": [300.0]}, owner="bob", public=False)
    bob = making.user("bob")
    assert [(c.text, c.chosen) for c in compare(parse([]), bob).overlays] == [(str(mine.pk), False)]
    found = compare(parse([("overlay", str(public.pk)), ("overlay", str(mine.pk))]), bob).overlays
    assert {c.text: c.chosen for c in found} == {str(mine.pk): True, str(public.pk): True}
    assert compare(parse([]), NOBODY).overlays == []


def it_opens_a_permalink_as_a_live_comparison_with_ones_own_archive(client):
    published({"lz4": [100.0], "off": [80.0]})
    bob = making.user("bob")
    client.force_login(bob)
    frozen = client.post("/compare/freeze", {"query": Q + "&baseline=off", "title": "Figure 1"})["Location"]
    mine = published({"lz4": [300.0]}, owner="bob", public=False)
    live = client.get(f"{frozen}/live?overlay={mine.pk}&overlay=nonsense")
    assert live["Location"] == (f"/compare?metric=write.throughput&x=compression&baseline=off&overlay={mine.pk}")
    page = client.get(live["Location"]).content.decode()
    assert f"archive {mine.pk}" in page
    assert client.get(f"{frozen}/live")["Location"] == "/compare?metric=write.throughput&x=compression&baseline=off"
    assert client.get("/p/nosuchname/live").status_code == 404
