"""One machine, several spellings, kernels and archives: on the review page, in filters, and by what its owner enters."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from webapp.archives import hosts, statement_preview
from webapp.archives.statements import StatementScope
from webapp.comparison.compare import compare
from webapp.comparison.selection import parse
from webapp.jobs import tasks
from webapp.models import Machine, Run, Statement
from webapp.tests import samples

pytestmark = pytest.mark.django_db

LSCPU = "root@{0}:~# lscpu\nArchitecture: x86_64\nCPU(s): 8\nModel name: {1}\n"
XEON, EPYC = "Intel(R) Xeon(R) CPU E5-2620 v3 @ 2.40GHz", "AMD EPYC 7302 16-Core Processor"


def transcript(host: str, second: float, kernel: str = "6.1.0-13-amd64", cpu: str = "") -> bytes:
    shown = LSCPU.format(host, cpu) if cpu else ""
    uname = f"root@{host}:~# uname -a\nLinux {host} {kernel} #1 SMP x86_64 GNU/Linux\n"
    return f"{uname}{shown}".encode() + samples.dd(second).split(b"\n", 2)[2].replace(b"root@tank", f"root@{host}".encode())


def uploaded(*files: bytes, **more: bytes):
    contents = {f"run{at}.txt": data for at, data in enumerate(files)} | {f"{name}.txt": data for name, data in more.items()}
    return samples.received(samples.tar(contents))


def at(name, archive, *others):
    return reverse(f"archive-{name}", args=[archive.pk, *others])


def asked(query: dict) -> list[tuple[str, str]]:
    return [("metric", "write.throughput"), ("control", "off"), *((name, str(value)) for name, value in query.items())]


def machines(archive) -> set[int]:
    return set(Run.objects.filter(archive=archive).values_list("configuration__machine", flat=True))


def names(archive) -> set[str]:
    return set(Run.objects.filter(archive=archive).values_list("configuration__host", flat=True))


@pytest.mark.parametrize(
    ("spellings", "kept"),
    [
        (["stor-17", "stor-17.lab.example.org"], {"stor-17.lab.example.org"}),
        (["stor-17.lab.example.org", "STOR-17", "stor-17"], {"stor-17.lab.example.org"}),
        (["nas", "nas.local", "other"], {"nas.local", "other"}),
        (["n1", "n1.x.org", "n1.y.org"], {"n1", "n1.x.org", "n1.y.org"}),
        (["tank1", "tank10.example.org"], {"tank1", "tank10.example.org"}),
    ],
)
def test_spellings_of_one_host_are_one_host_on_pages_filters_and_axes(ann, spellings, kept):
    archive = uploaded(*(transcript(host, 2.5 + n / 10) for n, host in enumerate(spellings)))
    assert names(archive) == kept and len(machines(archive)) == archive.hosts == len(kept)
    drawn = compare(parse(asked({"x": "host", "archive": archive.pk})), archive.owner)
    assert {facet.name: len(facet.choices) for facet in drawn.facets}.get("host", 1) == len(kept)
    for spelling in {*spellings, *kept}:
        found = compare(parse(asked({"host": spelling})), archive.owner)
        assert sum(group.n for panel in found.panels for group in panel.groups)
    page = ann.get(at("review", archive)).text
    assert {re.sub(r"<[^>]*>|[^\w.-]", "", name) for name in re.findall(r"<strong>Host (.*?)</strong>", page)} == kept


def test_spellings_with_unlike_hardware_are_two_hosts():
    archive = uploaded(transcript("n1", 2.5, cpu=XEON), transcript("n1.example.org", 2.6, cpu=EPYC))
    assert names(archive) == {"n1", "n1.example.org"}


def test_archives_with_a_new_kernel_and_the_full_name_are_of_one_machine(ann):
    first = uploaded(transcript("stor-17", 2.5, cpu=XEON))
    second = uploaded(transcript("stor-17.lab.example.org", 2.6, kernel="6.12.1", cpu=XEON))
    other = uploaded(transcript("stor-17", 2.7, cpu=EPYC))
    assert machines(first) == machines(second) != machines(other)
    [one] = hosts.read_machines(second)
    assert one.others == [first] and not one.generic
    page = ann.get(at("review", second)).text
    assert f'also of <a href="{reverse("archive", args=[first.pk])}">' in page
    assert "1 other machine of yours has this name" in page and "has this name" in ann.get(at("review", other)).text
    tasks.ingest_archive(first.pk)  # once more, and nothing changes
    assert machines(first) == machines(second) and Machine.objects.count() == 2


def test_a_serial_number_joins_a_machine_that_was_renamed():
    smart = b"=== START OF INFORMATION SECTION ===\nSerial Number:    WD-WCC7K0AB12CD\n"
    first, second = (uploaded(transcript(host, 2.5), smart=smart) for host in ("old-nas", "stor-17"))
    assert machines(first) == machines(second)


def test_an_owner_says_that_two_names_are_one_machine_and_takes_it_back(ann):
    first, second = uploaded(transcript("stor-17", 2.5)), uploaded(transcript("old-nas", 2.6))
    assert machines(first) != machines(second)
    assert ann.post(at("state-machine", second), {"host": "old-nas", "machine": "stor-17"}).url == at("review", second) + "#stated"
    tasks.ingest_archive(second.pk)
    assert machines(first) == machines(second) and names(second) == {"old-nas"}
    page = ann.get(at("review", second)).text
    assert "known as" in page and "host old-nas" in page and "entered by hand" in page
    made = Statement.objects.get()
    assert "Machine is no longer set to stor-17 by hand" in ann.post(at("undo", second, made.pk), follow=True).text
    tasks.ingest_archive(second.pk)
    assert machines(first) != machines(second)


@pytest.mark.parametrize("name", ["", "  ", "vm", "localhost", "debian12", "x" * 201, "a\0b"])
def test_what_names_no_machine_is_refused(ann, name):
    archive = uploaded(transcript("stor-17", 2.5))
    page = ann.post(at("state-machine", archive), {"host": "stor-17", "machine": name})
    assert page.status_code == 422 and "names no machine" in page.text and not Statement.objects.exists()


def test_strangers_say_nothing_about_machines(client, django_user_model):
    archive = uploaded(transcript("stor-17", 2.5))
    client.force_login(django_user_model.objects.create_user("bob"))
    assert client.post(at("state-machine", archive), {"host": "stor-17", "machine": "other"}).status_code == 404


@pytest.mark.parametrize("name", ["vm", "localhost", "debian", "ubuntu2204", "localhost.localdomain"])
def test_a_name_of_many_machines_is_explained_and_gives_way_to_one_that_is_entered(ann, name):
    archive, other = uploaded(transcript(name, 2.5, cpu=XEON)), uploaded(transcript(name, 2.6, cpu=XEON))
    assert machines(archive) != machines(other)
    page = ann.get(at("review", archive)).text
    assert "installers and images give many machines such a name" in page
    preview = statement_preview.read_preview(archive, {"host": "stor-17"}, [StatementScope()])
    assert preview.runs == Run.objects.filter(archive=archive).count()
    ann.post(at("state", archive), {"reach": "archive", "key:host": "stor-17"})
    tasks.ingest_archive(archive.pk)
    assert names(archive) == {"stor-17"}
    assert set(Run.objects.filter(archive=archive).values_list("configuration__cpu_model", flat=True)) == {"Xeon E5-2620 v3"}
    assert "installers and images give" not in ann.get(at("review", archive)).text


def test_a_name_that_identifies_is_kept_where_another_is_entered_for_the_archive(ann):
    archive = uploaded(transcript("tank1", 2.5), transcript("vm", 2.6))
    ann.post(at("state", archive), {"reach": "archive", "key:host": "stor-17"})
    tasks.ingest_archive(archive.pk)
    assert names(archive) == {"tank1", "stor-17"}
