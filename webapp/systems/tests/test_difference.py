"""Two configurations side by side, and how many queries the pages of hardware cost."""

from __future__ import annotations

import pytest
from django.urls import reverse

from ingest.warning_codes import CODES
from webapp.models import Configuration, Run
from webapp.storage import withdrawals
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db
GIB = 2**30
A = {"cpu.model": "Xeon E3110", "memory": 8 * GIB, "os.name": "Debian", "fs.type": "zfs", "pool.compression": "lz4"}
B = {
    "cpu.model": "Xeon E3110",
    "memory": 8 * GIB - 2**26,
    "os.name": "Debian",
    "fs.type": "zfs",
    "pool.compression": "off",
    "pool.dedup": "on",
}


def measured(config, name="a", public=True, **more):
    making.archive(public=public, records=making.file_records(f"{name}.txt", name, [1.0], config=config, **more))
    return Run.objects.order_by("-id")[0].configuration_id


def differ(client, a, b):
    return client.get(reverse("difference"), {"a": a, "b": b}, follow=True)


def labels(rows):
    return [row.key.name for row in rows]


def test_what_differs_comes_first_with_its_lines(client):
    a, b = measured(A), measured(B, "b")
    page = differ(client, a, b)
    found = page.context["difference"]
    assert labels(found.differ) == ["pool.compression"] and labels(found.lone) == ["pool.dedup"]
    assert labels(found.alike) == ["cpu.model", "memory", "os.name", "fs.type"]
    assert page.text.index("What differs") < page.text.index("Known for one only") < page.text.index("In common")
    assert "a.txt:1" in page.text and "b.txt:1" in page.text and "unknown" in page.text


def test_the_same_twice_has_no_difference(client):
    a = measured(A)
    assert "They are the same in every known key" in differ(client, a, a).text


def test_without_a_second_one_there_is_a_choice(client):
    a, b = measured(A), measured(B, "b")
    page = client.get(reverse("difference"), {"a": a}, follow=True).text
    assert f"?a=configuration:{a}&amp;b=configuration:{b}" in page
    assert f'name="a" value="configuration:{a}"' in page


@pytest.mark.parametrize("asked", ["99999", "9" * 40])
def test_what_is_not_there(client, asked):
    assert differ(client, measured(A), asked).status_code == 404


def test_what_is_private_is_neither_shown_nor_offered(client):
    a, b = measured(A), measured(B, "b", public=False)
    assert differ(client, a, b).status_code == differ(client, b, a).status_code == 404
    assert f"configuration:{b}" not in client.get(reverse("difference"), {"a": a}, follow=True).text


def test_the_system_page_leads_there(client):
    a, _ = measured(A), measured(B, "b")
    page = client.get(reverse("system", args=[Configuration.objects.get(pk=a).system_id])).text
    assert 'action="/configurations/difference"' in page and f'name="b" value="{a}"' in page


def test_a_layout_is_told_in_numbers_too(client):
    page = client.get(reverse("configuration", args=[measured(A | {"pool.layout": "4 x raidz1(9)"})])).text
    assert "Derived from the layout" in page and "1 disk of each vdev may fail" in page and "11.1\u00a0%" in page


@pytest.mark.parametrize("signed", [False, True])
def test_pages_cost_few_queries_however_much_there_is(client, signed, django_assert_max_num_queries):
    if signed:
        client.force_login(making.user("ann"))
    for n in range(12):
        measured(A | {"pool.recordsize": 2 ** (9 + n)}, f"f{n}", params={"file_size": GIB, "command": f"x{n}"})
    run = Run.objects.order_by("id")[0]
    addresses = [
        reverse("systems"),
        reverse("system", args=[run.configuration.system_id]),
        reverse("archives"),
        reverse("configuration", args=[run.configuration_id]),
        reverse("run", args=[run.pk]),
    ]
    for address in addresses:
        with django_assert_max_num_queries(16):
            assert client.get(address).status_code == 200
    last = Run.objects.order_by("-id")[0]
    with django_assert_max_num_queries(16):
        sides = {"a": f"configuration:{run.configuration_id}", "b": f"configuration:{last.configuration_id}"}
        assert client.get("/versus", sides).status_code == 200


def test_pages_of_an_archive_cost_few_queries_however_many_kinds_of_warning(ann, django_assert_max_num_queries):
    records = [*making.file_records("a.txt", "a", [1.0, 2.0], config=A), *making.file_records("b.txt", "b", [3.0], config=B)]
    records += [making.Warning("a.txt", n, code, "x") for n, code in enumerate(list(CODES)[:15], 1)]
    archive = making.archive(public=True, records=records)
    withdrawals.withdraw_file(archive.pk, "b.txt", "why", archive.owner)
    with django_assert_max_num_queries(28):
        assert ann.get(reverse("archive", args=[archive.pk])).status_code == 200
    with django_assert_max_num_queries(12):
        assert ann.get(reverse("archive-notes", args=[archive.pk, next(iter(CODES))])).status_code == 200


def test_the_raw_page_costs_few_queries(client, django_assert_max_num_queries):
    archive = samples.received(samples.dd(*[2 + n / 10 for n in range(30)]), "log.txt")
    with django_assert_max_num_queries(12):
        assert client.get(reverse("archive-raw", args=[archive.pk, "log.txt"])).status_code == 200
