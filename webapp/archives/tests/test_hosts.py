"""Evidence of several hosts on the review page, and places that disagree there, on a file's page and beside the value."""

from __future__ import annotations

import pytest
from django.urls import reverse

from webapp.jobs import tasks
from webapp.models import Run, Statement
from webapp.tests import samples

pytestmark = pytest.mark.django_db

LSCPU = b"Architecture: x86_64\nCPU(s): 8\nModel name: Example 1000\n"
UNAME = b"Linux vm 6.1.0 #1 SMP x86_64 GNU/Linux\n"


def _dd(host: str, *seconds: float) -> bytes:
    """Runs of dd below prompts of a host, without uname."""
    return samples.dd(*seconds).split(b"\n", 2)[2].replace(b"root@tank", f"root@{host}".encode())


def _review(client, archive) -> str:
    page = client.get(reverse("archive-review", args=[archive.pk]))
    assert page.status_code == 200
    return page.text


def _cpus() -> dict[str, str | None]:
    return dict(Run.objects.values_list("configuration__host", "configuration__cpu_model"))


@pytest.fixture
def three_hosts(ann):
    files = {
        "system.txt": UNAME + LSCPU,
        "vm.txt": _dd("vm", 2.5, 2.75, 2.25),
        "a.txt": _dd("ANDREW-PC", 3),
        "c.txt": _dd("cephhpc003", 4, 5),
    }
    return samples.received(samples.tar(files), public=False)


def test_the_hosts_and_what_is_missing_are_said_in_a_sentence(ann, three_hosts):
    text = _review(ann, three_hosts)
    assert (
        "3 hosts in this archive: cephhpc003, vm, ANDREW-PC." in text
        or "3 hosts in this archive: vm, cephhpc003, ANDREW-PC." in text
    )
    others = Run.objects.exclude(configuration__host="vm")
    missing = sum(others.values_list("measurements", flat=True))
    assert f"is of vm; {missing} measurements of the others have no CPU." in text
    assert _cpus() == {"vm": "Example 1000", "ANDREW-PC": None, "cephhpc003": None}


def test_one_form_says_of_which_host_a_file_is(ann, three_hosts):
    data = {"reach": "file", "file": "system.txt", "key:host": "ANDREW-PC"}
    ann.post(reverse("archive-state", args=[three_hosts.pk]), data)
    tasks.ingest_archive(three_hosts.pk)
    assert _cpus() == {"vm": None, "ANDREW-PC": "Example 1000", "cephhpc003": None}
    assert "is of ANDREW-PC" in _review(ann, three_hosts)
    ann.post(reverse("archive-undo", args=[three_hosts.pk, Statement.objects.get().pk]))
    tasks.ingest_archive(three_hosts.pk)
    assert _cpus() == {"vm": "Example 1000", "ANDREW-PC": None, "cephhpc003": None}


def test_a_file_that_names_no_host_is_assigned_to_one(ann):
    archive = samples.received(
        samples.tar({"lscpu.txt": LSCPU, "a.txt": _dd("alpha", 3), "b.txt": _dd("beta", 4, 5)}), public=False
    )
    text = _review(ann, archive)
    assert "2 hosts in this archive: beta, alpha." in text
    assert "names no host; " in text and "of the others" not in text
    ann.post(reverse("archive-state", args=[archive.pk]), {"reach": "file", "file": "lscpu.txt", "key:host": "beta"})
    tasks.ingest_archive(archive.pk)
    assert _cpus() == {"alpha": None, "beta": "Example 1000"}


def test_one_host_is_no_matter_for_a_sentence(ann):
    archive = samples.received(samples.tar({"system.txt": UNAME + LSCPU, "vm.txt": _dd("vm", 2.5)}), public=False)
    assert "in this archive:" not in _review(ann, archive)


@pytest.fixture
def disagreeing(ann):
    plain = samples.dd(2.5).split(b"\n", 2)[2]
    get = b"NAME  PROPERTY     VALUE  SOURCE\ntank  compression  lz4    local\n"
    return samples.received(samples.tar({"dd-gzip-6.txt": plain, "zfs-get.txt": get}), public=False)


def test_places_that_disagree_are_listed_on_the_review_page(ann, disagreeing):
    text = _review(ann, disagreeing)
    assert "Places that disagree" in text
    assert f'lz4 at <a href="/archives/{disagreeing.pk}/raw/zfs-get.txt#L2">zfs-get.txt:2</a>' in text


def test_places_that_disagree_are_listed_on_the_page_of_the_file(ann, disagreeing):
    text = ann.get(reverse("archive-raw", args=[disagreeing.pk, "dd-gzip-6.txt"])).text
    assert "Compression: gzip-6 at" in text
    assert f'lz4 at <a href="/archives/{disagreeing.pk}/raw/zfs-get.txt#L2">zfs-get.txt:2</a>' in text
    assert "Compression: gzip-6" not in ann.get(reverse("archive-raw", args=[disagreeing.pk, "zfs-get.txt"])).text


def test_the_place_that_disagrees_stands_beside_the_value(ann, disagreeing):
    text = ann.get(reverse("run", args=[Run.objects.get().pk])).text
    address = f"/archives/{disagreeing.pk}/raw/zfs-get.txt#L2"
    assert f'disagrees with <a href="{address}">zfs-get.txt:2</a> (lz4)' in text
    assert text.count("disagrees with") == 1


def test_what_was_read_stands_beside_what_is_stated(ann):
    files = {"dd.txt": samples.dd(2.5).split(b"\n", 2)[2], "uname.txt": b"Linux tank 6.1.0 #1 SMP x86_64 GNU/Linux\n"}
    archive = samples.received(samples.tar(files), public=False)
    ann.post(reverse("archive-state", args=[archive.pk]), {"key:kernel": "5.4.0"})
    tasks.ingest_archive(archive.pk)
    text = ann.get(reverse("run", args=[Run.objects.get().pk])).text
    assert f'disagrees with <a href="/archives/{archive.pk}/raw/uname.txt#L1">uname.txt:1</a> (6.1.0)' in text
    assert "5.4.0 is stated, 6.1.0 at" in _review(ann, archive)


def test_values_that_agree_have_nothing_beside_them(ann):
    samples.received(samples.tar({"dd.txt": samples.dd(2.5)}), public=False)
    assert "disagrees with" not in ann.get(reverse("run", args=[Run.objects.get().pk])).text
