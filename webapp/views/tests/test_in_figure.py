"""Whether a run is in a figure, and the true reason where it is not."""

from __future__ import annotations

import html
import re

import pytest

from webapp.models import Measurement
from webapp.tests import making

pytestmark = pytest.mark.django_db
SIZED = {"file_size": 2**30, "block_size": 2**20}
LINUX = {
    "host": "stor01",
    "os.family": "Linux",
    "os.name": "Debian",
    "os.version": "12",
    "fs.type": "zfs",
    "cpu.model": "EPYC 7313",
}
OWN = {
    "the same": ({}, {}, "In this figure"),
    "another size": ({}, {"file_size": 2**29}, "file size 512 MiB, not 1 GiB"),
    "another file system": ({"fs.type": "xfs"}, {}, "file system xfs, not zfs"),
    "no CPU": ({"cpu.model": None}, {}, "CPU unknown, not EPYC 7313"),
    "another option": ({}, {"dd.oflag": "append"}, "another workload: "),
}


def archive(name: str, compressions, config=None, params=None, **more):
    def records():
        for compression in compressions:
            settings = {key: text for key, text in {**LINUX, **(config or {})}.items() if text is not None}
            settings["pool.compression"] = compression
            numbers = [1e8 + 1e6 * at + len(name) for at in range(3)]
            yield from making.file_records(
                f"{name}-{compression}.txt", f"{name} {compression}", numbers, config=settings, params={**SIZED, **(params or {})}
            )

    return making.archive(records=records(), **{"public": True, "accepted": True, **more})


def told(client, value: Measurement, query: str = "metric=write.throughput&x=compression") -> str:
    answer = client.get(f"/runs/{value.run_id}/figure?{query}")
    assert answer.status_code == 200
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.text.partition("<main")[2])).replace("\u00a0", " ").split())


@pytest.mark.parametrize("case", OWN)
def test_a_run_is_in_the_figure_or_what_keeps_it_out_is_named(client, case):
    config, params, words = OWN[case]
    theirs = archive("theirs", ["off", "lz4", "zstd"])
    mine = archive("mine", ["off"], config, params)
    both = f"metric=write.throughput&x=compression&archive={theirs.pk}&archive={mine.pk}"
    text = told(client, Measurement.objects.filter(run__archive=mine).first(), both)
    assert words in text, text[:1500]
    assert ("Not in this figure" in text) == (case != "the same")


def test_withdrawn_and_repeated_values_say_so(client):
    archive("theirs", ["off", "lz4"])
    again = archive("theirs", ["off", "lz4"])
    value = Measurement.objects.filter(run__archive=again).first()
    assert "counts in another file or archive" in told(client, value)
    assert "the run has no value of this metric" in told(client, value, "metric=read.throughput")


def test_a_private_run_is_explained_to_its_owner_alone(client):
    archive("theirs", ["off", "lz4"])
    value = Measurement.objects.filter(run__archive=archive("mine", ["off"], public=False, accepted=False)).first()
    assert client.get(f"/runs/{value.run_id}/figure?metric=write.throughput").status_code == 404
    client.force_login(making.user())
    assert "is not public: only you see it" in told(client, value)
