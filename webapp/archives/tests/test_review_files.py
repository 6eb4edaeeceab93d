"""The table of hosts and files on the review page."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.urls import reverse

from webapp.archives import review_files
from webapp.archives.review_files import ReviewedFile
from webapp.models import Note
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db

LSCPU = b"Architecture: x86_64\nCPU(s): 8\nCore(s) per socket: 8\nSocket(s): 1\nModel name: Example 1000\n"
ZFS_GET = b"NAME  PROPERTY     VALUE  SOURCE\ntank  compression  lz4    local\n"


def _plain(*seconds: float, host: str = "vm") -> bytes:
    """Runs of dd without uname."""
    return samples.dd(*seconds).split(b"\n", 2)[2].replace(b"root@tank", f"root@{host}".encode())


def _received(files: dict[str, bytes]):
    return samples.received(samples.tar(files), public=False)


def _files(archive, start: int = 0) -> dict[str, ReviewedFile]:
    return {file.path: file for _, files in review_files.read_files(archive, start).hosts for file in files}


def test_each_file_has_its_runs_known_keys_and_where_they_are_from(ann):
    files = _files(_received({"a/1.txt": samples.dd(2.5, 3), "b/2.txt": _plain(4), "b/zfs-get.txt": ZFS_GET}))
    assert {path: file.runs for path, file in files.items()} == {"a/1.txt": 2, "b/2.txt": 1}
    assert "File system" in files["a/1.txt"].unknown and "Kernel" not in files["a/1.txt"].unknown
    assert "Compression" not in files["b/2.txt"].unknown and "Memory" in files["b/2.txt"].unknown
    assert files["a/1.txt"].sources[0][0] == "a/1.txt"
    assert "b/zfs-get.txt" in [path for path, _, _ in files["b/2.txt"].sources]
    assert sum(number for _, number, _ in files["b/2.txt"].sources) == files["b/2.txt"].known


def test_a_key_that_one_run_of_the_file_lacks_is_unknown_and_not_counted(ann):
    config = {"os.name": "Debian", "fs.type": "zfs", "pool.compression": "lz4"}
    first, second, *others = making.file_records("x.txt", "x", [1.0, 2.0], config=config)
    second = replace(second, config={"os.name": "Debian", "fs.type": "zfs"})
    file = _files(making.archive(records=[first, second, *others]))["x.txt"]
    assert file.runs == 2 and file.known == 2
    assert "Compression" in file.unknown and "File system" not in file.unknown


def test_implied_keys_are_marked(ann):
    archive = _received({"dd.txt": _plain(2.5), "mount.txt": b"/dev/sda1 on /tank type ext4 (rw,relatime)\n"})
    assert {"Compression", "Deduplication"} <= set(_files(archive)["dd.txt"].implied)
    assert "Compression, Deduplication" in ann.get(reverse("archive-review", args=[archive.pk])).text


def test_hosts_are_in_order_and_the_unknown_one_is_last(ann):
    records = []
    for host in ("beta", None, "alpha"):
        config = {"os.name": "Debian"} | ({"host": host} if host else {})
        records += making.file_records(f"{host}.txt", str(host), [1.0], config=config)
    archive = making.archive(records=records)
    assert [host for host, _ in review_files.read_files(archive, 0).hosts] == ["alpha", "beta", None]
    assert "Host unknown" in ann.get(reverse("archive-review", args=[archive.pk])).text


def test_warnings_link_to_their_line(ann):
    archive = _received({"dd-gzip-6.txt": _plain(2.5), "zfs-get.txt": ZFS_GET})
    note = Note.objects.get(code="disagree")
    page = ann.get(reverse("archive-review", args=[archive.pk])).text
    assert f'href="/archives/{archive.pk}/raw/{note.path}#L{note.line}">1 disagreement</a>' in page


def test_a_file_without_results_is_listed_for_its_warnings(ann):
    two = {"a.txt": b"Linux vm 6.1.0 #1 SMP x86_64 GNU/Linux\n", "b.txt": b"Linux vm 5.9.0 #1 SMP x86_64 GNU/Linux\n"}
    review = review_files.read_files(_received({"dd.txt": _plain(2.5), "lscpu.txt": LSCPU, **two}), 0)
    assert review.others and {file.path for file in review.others} <= two.keys()
    assert {one.what for file in review.others for one in file.warnings} == {"contradiction"}


@pytest.mark.parametrize(("start", "shown", "left"), [(0, 50, 70), (50, 50, 20), (100, 20, 0), (120, 50, 70), (-1, 50, 70)])
def test_fifty_are_shown_and_the_rest_counted(ann, start, shown, left):
    archive = _many(120)
    review = review_files.read_files(archive, start)
    assert (sum(len(files) for _, files in review.hosts), review.left, review.total) == (shown, left, 120)


def test_the_rest_is_a_page_further(ann):
    address = reverse("archive-review", args=[_many(60).pk])
    assert ">10 more</a>" in ann.get(address).text
    page = ann.get(address, {"files": "50"}).text
    assert "0059.txt" in page and "0003.txt" not in page.partition('id="by-file"')[2].partition("</section>")[0]
    assert ann.get(address, {"files": "x"}).status_code == 200


@pytest.mark.parametrize("files", [1, 60])
def test_it_asks_at_most_eight_times(ann, files, django_assert_max_num_queries):
    archive = _many(files)
    with django_assert_max_num_queries(8):
        review_files.read_files(archive, 0)


def _many(count: int):
    records = []
    for n in range(count):
        records += making.file_records(f"{n:04}.txt", str(n), [1.0], config={"host": f"node{n % 3}", "memory": 2**30 * (n + 1)})
    return making.archive(records=records)
