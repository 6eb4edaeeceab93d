"""Derived facts: stored with the run, shown as derived, with the line that tells the caches."""

from __future__ import annotations

from itertools import chain

import pytest
from django.urls import reverse

from webapp.models import Run
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db
GIB = 2**30
CONFIG = {"memory": 8 * GIB, "disk.count": 4, "pool.compression": "lz4"}


def test_a_run_keeps_what_follows_and_shows_how(client):
    making.archive(public=True, records=making.file_records("a", "a", [1.0], config=CONFIG, params={"file_size": 16 * GIB}))
    run = Run.objects.get()
    assert run.derived == {"working_set": 16 * GIB, "working_set_over_memory": 2.0, "data_per_disk": 4 * GIB, "zeros": "yes"}
    page = client.get(reverse("run", args=[run.pk])).text
    assert "Working set over memory" in page and "2×" in page and "working set divided by memory" in page


def test_each_run_has_the_facts_of_its_own_workload_and_configuration():
    disks = [{**CONFIG, "disk.count": count} for count in (2, 4)]
    sizes = [{"file_size": size * GIB} for size in (8, 16)]
    shapes = [(config, params) for config in disks for params in sizes] * 2
    making.archive(
        records=chain.from_iterable(
            making.file_records(str(at), str(at), [1.0], config=config, params=dict(params))
            for at, (config, params) in enumerate(shapes)
        )
    )
    assert [run.derived["data_per_disk"] for run in Run.objects.order_by("id")] == [
        params["file_size"] / config["disk.count"] for config, params in shapes
    ]


def test_the_line_that_empties_the_caches_is_linked(client):
    text = samples.dd(2.5) + b"root@tank:~# echo 3 > /proc/sys/vm/drop_caches\n" + samples.dd(2.5).split(b"\n", 2)[2]
    archive = samples.received(text, "log.txt")
    last = Run.objects.filter(archive=archive).order_by("id").last()
    assert (last.derived["cache_state"], last.derived["cache_from"]) == ("dropped", "log.txt:7")
    assert f'href="/archives/{archive.pk}/raw/log.txt#L7"' in client.get(reverse("run", args=[last.pk])).text


@pytest.mark.parametrize(
    ("sectors", "state", "text"),
    [
        (0, "yes", "0 B read of 64 MiB (0 %): from memory"),
        (524, "yes", "(0.4 %): from memory"),
        (131072, "no", "64 MiB read of 64 MiB (100 %): from the device"),
        (65536, "maybe", "32 MiB read of 64 MiB (50 %)"),
    ],
)
def test_what_the_disks_moved_around_a_run_stands_on_its_page(client, sectors, state, text):
    counters = "$ cat /proc/diskstats\n 254 0 vda 9 1 {} 7 8 2 100 9 0 5 16 0 0 0 0 0 0\n"
    dd = "$ dd if=/data/f of=/dev/null bs=1M count=64\n64+0 records in\n64+0 records out\n67108864 bytes copied, 0.5 s, 134 MB/s\n"
    mounts = "$ cat /proc/mounts\n/dev/vda / ext4 rw,relatime 0 0\n"
    archive = samples.received((mounts + counters.format(50) + dd + counters.format(50 + sectors)).encode(), "log.txt")
    run = Run.objects.get(archive=archive)
    assert run.derived["from_memory"] == {"read": state}
    page = client.get(reverse("run", args=[run.pk])).text.replace("\u00a0", " ").replace("\u202f", " ")
    assert text in page and "log.txt#L8" in page


def test_nothing_follows_from_nothing(client):
    making.archive(public=True, records=making.file_records("a", "a", [1.0], config={}, params={}))
    run = Run.objects.get()
    assert run.derived == {}
    assert "Derived" not in client.get(reverse("run", args=[run.pk])).text
