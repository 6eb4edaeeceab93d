"""What an archive's page draws: the axis that differs within it, and the nearest published run beside it."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from webapp.comparison.selection import parse
from webapp.comparison.tests.misleading_archives import MISLEADING
from webapp.http.data_version import data_version
from webapp.pages import archive_figures
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db
GIB, MIB = 2**30, 2**20
HOST = {"host": "stor01", "cpu.model": "Xeon", "cpu.cores": 2, "memory": 8 * GIB, "os.family": "Linux", "fs.type": "ext4"}
PARAMS = {"file_size": GIB, "block_size": MIB, "threads": 4}


def file(name, value, params=None, config=None, metric="write.throughput", **other):
    return making.file_records(
        name, f"{name} {value}", [value] * 3, metric=metric, params=PARAMS | (params or {}), config=HOST | (config or {}), **other
    )


def archive(*files, **how):
    return making.archive(records=[record for one in files for record in one], **how)


def draw(archive, user="ann"):
    return archive_figures.draw(archive.pk, [], making.user(user), data_version())


def published(value, params=None, config=None, accepted=True, **other):
    config = {"host": f"pub{value}", "cpu.model": "EPYC"} | (config or {})
    return archive(file(f"p{value}.txt", value, params, config, **other), owner="bob", public=True, accepted=accepted)


@pytest.mark.parametrize(
    ("ones", "others", "axis"),
    [
        ({"config": {"fs.type": "ext4"}}, {"config": {"fs.type": "xfs"}}, "fs"),
        ({"config": {"pool.compression": "off"}}, {"config": {"pool.compression": "lz4"}}, "compression"),
        (
            {"config": {"os.version": "12", "os.name": "Debian"}},
            {"config": {"os.version": "13", "os.name": "Debian"}},
            "os_version",
        ),
        ({"config": {"cpu.model": "Xeon"}}, {"config": {"cpu.model": "EPYC", "host": "stor02"}}, "cpu"),
        ({"config": {"zfs.primarycache": "all"}}, {"config": {"zfs.primarycache": "metadata"}}, "zfs.primarycache"),
        ({"params": {"bonnie++.-b": "1"}}, {"params": {}}, "bonnie++.-b"),
        ({"params": {"threads": 1}}, {"params": {"threads": 8}}, "threads"),
        ({"config": {"fs.type": "xfs"}, "params": {"threads": 1}}, {"params": {"threads": 1}}, "fs"),
    ],
)
def test_the_figure_is_on_what_differs(ones, others, axis):
    found = draw(archive(file("a.txt", 1.0, **ones), file("b.txt", 2.0, **others)))["figure"]
    assert parse(parse_qsl(found.query)).x == axis and len(found.drawings[0].rows) == 2


def test_an_axis_is_chosen_without_values():
    def axis(one, other):
        made = archive(
            file("a.txt", one),
            file("b.txt", other, config={"fs.type": "xfs"}),
            file("c.txt", 5.0, metric="read.throughput", config={"pool.compression": "off"}),
        )
        return draw(made)["figure"].query.rpartition("&")[0]

    assert axis(1.0, 100.0) == axis(100.0, 1.0)


def test_where_nothing_differs_its_values_stand_by_metric():
    one = archive(file("a.txt", 1.0), file("b.txt", 2.0, metric="read.throughput"), file("c.txt", 3.0, metric="seek.rate"))
    found = draw(one)["figure"]
    assert {row.series for drawing in found.drawings for row in drawing.rows} == {
        "Sequential write",
        "Sequential read",
        "Random seeks",
    }
    assert found.sentence == ""
    assert draw(archive(file("a.txt", 4.0)))["figure"].drawings[0].figure["x"]["values"] == ["bonnie++"]


@pytest.mark.parametrize("case", [case for case in MISLEADING if len(case.archives) == 1], ids=lambda case: case.name)
def test_values_that_may_not_be_compared_keep_their_names(case):
    row = samples.received(samples.tar({path: text.encode() for path, text in case.archives[0].items()}))
    figure = archive_figures.draw(row.pk, [], row.owner, data_version())["figure"]
    for drawing in figure.drawings if figure else ():
        places = {group["x"] for group in drawing.figure.get("groups", ())}
        assert len(drawing.figure["x"]["values"]) > max(places, default=0)


@pytest.mark.parametrize(
    ("offered", "nearest"),
    [
        ([{"direct": "on"}, {"file_size": 4 * GIB}], 1),  # direct or buffered before size
        ([{"file_size": 16 * GIB}, {"file_size": GIB // 64}], 1),  # fits in memory before octaves
        ([{"block_size": 4 * MIB}, {"block_size": 2 * MIB}], 1),
        ([{"threads": 1}, {"threads": 8}], 1),
        ([{"threads": 2, "iodepth": 2}, {"threads": 8}], 0),  # threads times depth
        ([{"file_size": 4 * GIB}, {"block_size": 2 * MIB, "threads": 8}, {"file_size": GIB // 2}], 2),
        ([{"tool": "dd"}, {}], 1),  # the same tool before another
        ([{"tool": "dd"}, {"threads": 8}], 0),  # but octaves before the tool
        ([{"file_size": None}, {"file_size": 6 * GIB}], 1),  # a known size before an unknown one
    ],
)
def test_the_nearest_workload_stands_beside_it(offered, nearest):
    mine = archive(file("a.txt", 99.0))
    for number, params in enumerate(offered):
        wanted = {name: value for name, value in (PARAMS | params).items() if value is not None and name != "tool"}
        other = {"tool": params["tool"]} if "tool" in params else {}
        config = HOST | {"host": f"pub{number}", "cpu.model": "EPYC"}
        records = making.file_records("p.txt", f"{number}", [float(number + 1)] * 3, params=wanted, config=config, **other)
        making.archive(records=records, owner="bob", public=True, accepted=True)
    beside = draw(mine)["beside"]
    assert [row.center for row in beside.drawing.rows] == ["99", str(nearest + 1)]
    assert not any(row.ratio or row.claim for row in beside.drawing.rows)


def test_both_sides_are_named_and_the_workload_comes_first():
    mine = archive(file("a.txt", 9.0, {"file_size": 64 * MIB}))
    published(2, {"file_size": 512 * MIB})
    beside = draw(mine)["beside"]
    assert beside.named == "this archive: 64\xa0MiB beside published: 512\xa0MiB"
    assert [label for label, *_ in beside.differs] == ["File size", "CPU"]


@pytest.mark.parametrize(
    ("how", "user"),
    [
        ({"public": True, "accepted": False, "owner": "bob"}, "ann"),
        ({"public": False, "owner": "bob"}, "ann"),
        ({"public": False, "owner": "ann"}, "ann"),
    ],
    ids=["not accepted", "private of another", "private of mine"],
)
def test_only_what_was_accepted_is_beside(how, user):
    mine = archive(file("a.txt", 9.0))
    archive(file("b.txt", 2.0, config={"host": "b"}), **how)
    assert draw(mine, user)["beside"] is None


def test_an_accepted_archive_is_not_beside_itself():
    mine = archive(file("a.txt", 9.0), public=True, accepted=True)
    assert draw(mine)["beside"] is None
    published(2)
    assert draw(mine)["beside"].drawing.rows[1].center == "2"


def test_another_operation_is_taken_where_the_first_was_never_published():
    mine = archive(file("a.txt", 9.0), file("b.txt", 8.0, metric="seek.rate"))
    published(2, metric="seek.rate")
    assert draw(mine)["beside"].metric == "Random seeks, rate"


def test_the_page_shows_them(client):
    mine = archive(file("a.txt", 9.0))
    published(2)
    client.force_login(making.user("ann"))
    text = client.get(f"/archives/{mine.pk}").text
    assert 'data-figure="own-figure-0-data"' in text and 'data-figure="nearest-data"' in text
    client.force_login(making.user("bob"))
    assert client.get(f"/archives/{mine.pk}").status_code == 404
