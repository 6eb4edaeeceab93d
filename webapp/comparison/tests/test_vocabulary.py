"""Searches in the words of the field, and the figure that each one lands on."""

from __future__ import annotations

import pytest

from webapp.comparison.search import vocabulary
from webapp.tests import making

pytestmark = pytest.mark.django_db
MACHINE = {"host": "a", "arch": "x86_64", "cpu.model": "Xeon", "cpu.cores": 4, "memory": 2**34}
SYSTEMS = [
    {"os.family": "Linux", "os.name": "Debian", "fs.type": "ext4", "pool.compression": "off"},
    {"os.family": "Linux", "os.name": "Debian", "fs.type": "xfs", "pool.compression": "off"},
    {"os.family": "Linux", "os.name": "Debian", "fs.type": "zfs", "pool.compression": "off"},
    {"os.family": "Linux", "os.name": "Debian", "fs.type": "zfs", "pool.compression": "lz4"},
    {"os.family": "FreeBSD", "os.name": "FreeBSD", "fs.type": "zfs", "pool.compression": "lz4"},
]
LOADS = [
    ("write.throughput", "sample", {"block_size": 2**20}),
    ("read.throughput", "sample", {"block_size": 2**20, "iodepth": 1}),
    ("read.rate", "sample", {"block_size": 2**20}),
    ("random_read.rate", "sample", {"block_size": 4096, "iodepth": 1}),
    ("random_read.throughput", "sample", {"block_size": 4096, "iodepth": 1}),
    ("random_write.rate", "sample", {"block_size": 4096, "iodepth": 1}),
    ("random_write.throughput", "sample", {"block_size": 4096, "iodepth": 1}),
    ("random_read.latency", "mean", {"block_size": 4096, "iodepth": 1}),
    ("random_read.latency", "p50", {"block_size": 4096, "iodepth": 1}),
    ("random_read.latency", "p99", {"block_size": 4096, "iodepth": 1}),
    ("random_read.latency", "p99.9", {"block_size": 4096, "iodepth": 1}),
    ("random_write.latency", "mean", {"block_size": 4096, "iodepth": 1}),
    ("random_write.latency", "p99", {"block_size": 4096, "iodepth": 1}),
    ("fsync.latency", "mean", {"block_size": 4096}),
    ("file_create.rate", "sample", {"files": 1000}),
    ("file_stat.rate", "sample", {"files": 1000}),
    ("file_remove.rate", "sample", {"files": 1000}),
    ("dir_create.rate", "sample", {"files": 1000}),
    ("copy.elapsed", "sample", {}),
    ("extract.elapsed", "sample", {}),
    ("seek.rate", "sample", {}),
]
FS, OS, COMPRESSION = {"ext4", "xfs", "zfs"}, {"Linux", "FreeBSD"}, {"off", "lz4"}
SEARCHES = [
    ("4k random write", "random_write.rate", "sample", None),
    ("4k random read iops", "random_read.rate", "sample", None),
    ("randread", "random_read.rate", "sample", None),
    ("randwrite bw", "random_write.throughput", "sample", None),
    ("rand read throughput", "random_read.throughput", "sample", None),
    ("random reads ext4 vs xfs", "random_read.rate", "sample", {"ext4", "xfs"}),
    ("iops", "random_read.rate", "sample", None),
    ("IOPS per file system", "random_read.rate", "sample", FS),
    ("io/s zfs off lz4", "random_read.rate", "sample", COMPRESSION),
    ("ops/s", "random_read.rate", "sample", None),
    ("how much faster is lz4?", "write.throughput", "sample", {"lz4", "off"}),
    ("does lz4 ruin performance?", "write.throughput", "sample", COMPRESSION),
    ("what is the top file system?", "write.throughput", "sample", FS),
    ("why is xfs always the worst?", "write.throughput", "sample", None),
    ("latency", "random_read.latency", "mean", None),
    ("lat", "random_read.latency", "mean", None),
    ("response time xfs or ext4", "random_read.latency", "mean", {"ext4", "xfs"}),
    ("p99", "random_read.latency", "p99", None),
    ("p99.9", "random_read.latency", "p99.9", None),
    ("99th percentile", "random_read.latency", "p99", None),
    ("99.9% random read", "random_read.latency", "p99.9", None),
    ("p99 random write", "random_write.latency", "p99", None),
    ("p99 of 4k random read", "random_read.latency", "p99", None),
    ("median latency", "random_read.latency", "p50", None),
    ("random write latency ext4 xfs", "random_write.latency", "mean", {"ext4", "xfs"}),
    ("tail latency per filesystem", "random_read.latency", "p99", FS),
    ("commit latency", "fsync.latency", "mean", None),
    ("fsync", "fsync.latency", "mean", None),
    ("create files", "file_create.rate", "sample", None),
    ("file creation", "file_create.rate", "sample", None),
    ("small files", "file_create.rate", "sample", None),
    ("small files ext4 against zfs", "file_create.rate", "sample", {"ext4", "zfs"}),
    ("metadata", "file_create.rate", "sample", None),
    ("creates per second", "file_create.rate", "sample", None),
    ("stat files", "file_stat.rate", "sample", None),
    ("delete files", "file_remove.rate", "sample", None),
    ("unlink", "file_remove.rate", "sample", None),
    ("mkdir", "dir_create.rate", "sample", None),
    ("sequential write", "write.throughput", "sample", None),
    ("seq read", "read.throughput", "sample", None),
    ("streaming write", "write.throughput", "sample", None),
    ("write speed", "write.throughput", "sample", None),
    ("read MB/s", "read.throughput", "sample", None),
    ("sequential read iops", "read.rate", "sample", None),
    ("write bandwidth zfs lz4 off", "write.throughput", "sample", COMPRESSION),
    ("sequential read ext4 or xfs", "read.throughput", "sample", {"ext4", "xfs"}),
    ("throughput", "write.throughput", "sample", None),
    ("throughput per compression", "write.throughput", "sample", COMPRESSION),
    ("write compression", "write.throughput", "sample", COMPRESSION),
    ("copy", "copy.elapsed", "sample", None),
    ("how long copy", "copy.elapsed", "sample", None),
    ("untar ext4 vs xfs", "extract.elapsed", "sample", {"ext4", "xfs"}),
    ("seeks", "seek.rate", "sample", None),
    ("random seeks ext4 xfs", "seek.rate", "sample", {"ext4", "xfs"}),
    ("FreeBSD Linux", "write.throughput", "sample", OS),
    ("FreeBSD vs Linux", "write.throughput", "sample", OS),
    ("Linux against FreeBSD random read", "random_read.rate", "sample", OS),
    ("linux or freebsd p99", "random_read.latency", "p99", OS),
    ("ext4 vs xfs", "write.throughput", "sample", {"ext4", "xfs"}),
    ("ext4 versus xfs versus zfs", "write.throughput", "sample", FS),
    ("zfs lz4 off", "write.throughput", "sample", COMPRESSION),
    ("lz4 compared to off", "write.throughput", "sample", COMPRESSION),
    ("random write with lz4 against off", "random_write.rate", "sample", COMPRESSION),
    ("1 MiB sequential read", "read.throughput", "sample", None),
    ("write per os", "write.throughput", "sample", None),
    # fio
    ("randread iodepth 1", "random_read.rate", "sample", None),
    ("bs=4k randwrite iops", "random_write.rate", "sample", None),
    ("4k qd1 random read", "random_read.rate", "sample", None),
    ("clat p99 randread", "random_read.latency", "p99", None),
    ("completion latency 99.9th", "random_read.latency", "p99.9", None),
    ("avg lat randwrite", "random_write.latency", "mean", None),
    ("4kb random write", "random_write.rate", "sample", None),
    ("random-write", "random_write.rate", "sample", None),
    ("random_reads", "random_read.rate", "sample", None),
    ("randreads", "random_read.rate", "sample", None),
    # Windows
    ("RND4K read", "random_read.rate", "sample", None),
    ("RND4K Q1T1 write", "random_write.rate", "sample", None),
    ("SEQ1M Q1T1 read", "read.throughput", "sample", None),
    ("sequentialwrite", "write.throughput", "sample", None),
    ("Seq. Write", "write.throughput", "sample", None),
    # clusters
    ("creates/s", "file_create.rate", "sample", None),
    ("md ops", "file_create.rate", "sample", None),
    ("file stat ops/s", "file_stat.rate", "sample", None),
    ("create directories", "dir_create.rate", "sample", None),
    # a machine at home
    ("copy a folder", "copy.elapsed", "sample", None),
    ("how long does a copy take", "copy.elapsed", "sample", None),
    ("which file system is best for small files", "file_create.rate", "sample", FS),
    ("fastest filesystem", "write.throughput", "sample", FS),
    ("what does compression cost", "write.throughput", "sample", COMPRESSION),
    ("cost of compression for random writes", "random_write.rate", "sample", COMPRESSION),
    ("compression on vs off", "write.throughput", "sample", COMPRESSION),
    ("is lz4 faster than off", "write.throughput", "sample", COMPRESSION),
    ("random write speed", "random_write.rate", "sample", None),
    ("write performance", "write.throughput", "sample", None),
    ("performance", "write.throughput", "sample", None),
    ("random 4k qd1 read", "random_read.rate", "sample", None),
    ("fsyncs", "fsync.latency", "mean", None),
    ("Latenz", "random_read.latency", "mean", None),
    # One value stands beside others of its dimension.
    ("xfs", "write.throughput", "sample", FS),
    ("xfs latency", "random_read.latency", "mean", FS),
    ("ext4 small files", "file_create.rate", "sample", FS),
    ("freebsd", "write.throughput", "sample", {"Debian", "FreeBSD"}),
    ("FreeBSD random write", "random_write.rate", "sample", {"Debian", "FreeBSD"}),
    ("compression off", "write.throughput", "sample", COMPRESSION),
]


@pytest.fixture
def measured():
    records = [
        record
        for at, system in enumerate(SYSTEMS)
        for metric, stat, params in LOADS
        for record in making.file_records(
            f"{at}/{metric}-{stat}.txt",
            f"{at}{metric}{stat}",
            [10.0 + at, 11.0 + at, 12.0 + at],
            metric=metric,
            stat=stat,
            params={"file_size": 2**30} | params,
            config=MACHINE | system,
        )
    ]
    making.archive(public=True, accepted=True, records=records)


def test_a_search_lands_on_the_figure_that_answers_it(client, measured):
    """Metric and kind of number as asked, the values that were named, never one bar while there is a set."""
    assert len(SEARCHES) >= 100
    wrong = []
    for q, metric, stat, values in SEARCHES:
        found = client.get("/compare.json", {"q": q}).json()
        groups = [group for panel in found["panels"] for group in panel["groups"] if group["n"]]
        drawn = ({group["metric"] for group in groups}, (found["workload"] or {}).get("stat"), {group["x"] for group in groups})
        is_set = len(drawn[2]) > 1 if values is None else drawn[2] == values
        if drawn[:2] != ({metric}, stat) or not is_set:
            wrong.append((q, drawn))
    assert wrong == []


def test_words_that_fit_several_figures_offer_at_most_five(client, measured):
    choices = client.get("/compare.json", {"q": "iops"}).json()["choices"]
    assert 1 < len(choices) <= 5 and choices[0]["url"].startswith("/compare?metric=random_read.rate")
    assert client.get("/compare.json", {"q": "p99 random write"}).json()["choices"] == []
    assert "choices" in client.get("/compare.json").json()


@pytest.mark.parametrize(
    ("q", "lacking", "url"),
    [
        ("randread qd32", ["iodepth=32"], "/compare?metric=random_read.rate"),
        ("RND4K Q32T1 write", ["iodepth=32"], "/compare?metric=random_write.rate"),
        ("ntfs random read", ["ntfs"], "/compare?metric=random_read.rate"),
        ("ntfs", ["ntfs"], "/compare?metric="),
        ("copy throughput", [], "/compare?metric=copy.elapsed"),
    ],
)
def test_what_nothing_has_is_named_and_what_there_is_without_it_is_offered(client, measured, q, lacking, url):
    found = client.get("/compare.json", {"q": q}).json()
    assert [group for panel in found["panels"] for group in panel["groups"]] == []
    assert 1 <= len(found["choices"]) <= 5 and found["choices"][0]["url"].startswith(url)
    page = client.get("/compare", {"q": q}).content.decode()
    assert all(word in page for word in lacking) and found["choices"][0]["url"].replace("&", "&amp;") in page


@pytest.mark.parametrize(
    ("q", "sides"),
    [
        ("zfs lz4 vs ext4", "a=fs=zfs,compression=lz4&b=fs=ext4"),
        (
            "random write zfs lz4 against xfs",
            "a=fs=zfs,compression=lz4&b=fs=xfs&metric=random_write.rate&metric=random_write.throughput",
        ),
        ("freebsd or ext4", "a=os=FreeBSD&b=fs=ext4"),
        ("archive 12 vs 9", "a=archive:12&b=archive:9"),
        ("ext4 vs ntfs", ""),
        ("ext4 vs xfs", ""),
    ],
)
def test_two_sides_of_unlike_dimensions_lead_to_the_scorecard(client, measured, q, sides):
    first = next(iter(client.get("/compare.json", {"q": q}).json()["choices"]), {"url": ""})["url"]
    assert first.removeprefix("/versus?").startswith(sides) if sides else "/versus" not in first
    assert ("/versus?" in client.get("/compare", {"q": q}).content.decode().split("<main")[1]) == bool(sides)


def test_own_uploads_are_named_by_title_or_day(client):
    archives = [making.archive(name=name, records=making.file_records(name, name, [1.0])) for name in ("before.tar", "after.tar")]
    client.force_login(making.user())
    found = client.get("/compare.json", {"q": "my before upload vs after"}).json()["choices"][0]["url"]
    assert found == f"/versus?a=archive:{archives[0].pk}&b=archive:{archives[1].pk}"
    found = client.get("/compare.json", {"q": f"archive {archives[0].pk} vs my {archives[1].uploaded_at:%A} upload"}).json()
    assert found["choices"][0]["url"] == f"/versus?a=archive:{archives[0].pk}&b=archive:{archives[1].pk}"


def test_another_quantity_than_the_one_asked_for_is_never_drawn(client, measured):
    found = client.get("/compare.json", {"q": "copy throughput"}).json()
    assert {group["metric"] for panel in found["panels"] for group in panel["groups"]} <= {"copy.throughput"}


def test_what_is_typed_goes_before_the_metric_at_hand(client, measured):
    found = client.get("/compare.json", {"q": "latency", "metric": "write.throughput"}).json()
    assert {group["metric"] for panel in found["panels"] for group in panel["groups"]} == {"random_read.latency"}


@pytest.mark.parametrize("word", ["4096", "99", "p", "p100x", "vs", "zfs"])
def test_plain_words_are_no_percentiles(word):
    assert vocabulary.read_meaning([word], ["random_read.latency"]) == vocabulary.Meaning((), "", (word,))
