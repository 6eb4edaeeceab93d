"""The table of hosts on the review page: a value for each host is saved at once, for its runs alone."""

from __future__ import annotations

import pytest
from django.urls import reverse

from webapp.jobs import tasks
from webapp.models import Run, Statement
from webapp.tests import samples

pytestmark = pytest.mark.django_db
GIB = 2**30


def dd(host: str, *seconds: float) -> bytes:
    """Runs of dd below prompts of a host, without uname."""
    return samples.dd(*seconds).split(b"\n", 2)[2].replace(b"root@tank", f"root@{host}".encode())


def memory() -> set[tuple[str, int | None]]:
    return set(Run.objects.values_list("configuration__host", "configuration__memory"))


@pytest.fixture(params=["a file each", "one file"])
def two_hosts(ann, request):
    files = {"alpha/dd.txt": dd("alpha", 3, 4), "beta/dd.txt": dd("beta", 5)}
    if request.param == "one file":
        files = {"dd.txt": b"".join(files.values())}
    archive = samples.received(samples.tar(files), public=False)
    assert memory() == {("alpha", None), ("beta", None)}
    return archive


def save(client, archive, **typed: str):
    data = {f"of:memory:{host}": text for host, text in typed.items()}
    return client.post(reverse("archive-state-hosts", args=[archive.pk]), data)


def test_each_host_gets_its_own_value(ann, two_hosts):
    page = ann.get(reverse("archive-review", args=[two_hosts.pk])).text
    assert 'name="of:memory:alpha"' in page and 'aria-label="Memory of beta"' in page
    assert save(ann, two_hosts, alpha="16 GiB", beta="64GiB").status_code == 302
    tasks.ingest_archive(two_hosts.pk)
    assert memory() == {("alpha", 16 * GIB), ("beta", 64 * GIB)}
    assert 'name="of:memory:alpha"' not in ann.get(reverse("archive-review", args=[two_hosts.pk])).text


def test_a_value_of_one_host_changes_no_other(ann, two_hosts):
    save(ann, two_hosts, alpha="16 GiB", beta=" ")
    tasks.ingest_archive(two_hosts.pk)
    assert memory() == {("alpha", 16 * GIB), ("beta", None)}


@pytest.mark.parametrize(
    ("typed", "said"), [({"alpha": "much"}, "“much” is not a size such as 16 GiB"), ({}, "Fill in at least one field.")]
)
def test_what_does_not_fit_is_named_and_kept(ann, two_hosts, typed, said):
    answer = save(ann, two_hosts, **typed)
    assert answer.status_code == 422 and said in answer.text
    assert all(f'value="{text}"' in answer.text for text in typed.values())
    assert not Statement.objects.exists()


@pytest.mark.parametrize("name", ["of:memory:gamma", "of:no.such.key:alpha", "of:", "of:memory"])
def test_what_the_page_does_not_offer_changes_nothing(ann, two_hosts, name):
    answer = ann.post(reverse("archive-state-hosts", args=[two_hosts.pk]), {name: "16 GiB"})
    assert answer.status_code == 422 and not Statement.objects.exists()


def test_a_stranger_is_not_let_in(client, two_hosts):
    from webapp.tests import making

    client.force_login(making.user("bob"))
    assert save(client, two_hosts, alpha="16 GiB").status_code == 404


def test_correcting_a_configuration_ticks_its_runs(ann, two_hosts):
    run = Run.objects.filter(configuration__host="alpha").first()
    page = ann.get(reverse("archive-review", args=[two_hosts.pk]), {"runs": run.configuration_id}).text
    assert page.count('form="fill" checked') == 2 and 'name="reach" value="runs" checked' in page
