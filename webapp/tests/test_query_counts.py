"""What every page may ask of the database: a fixed number of queries, however much there is, signed in or not."""

from __future__ import annotations

import pytest
from django.urls import reverse

from ingest.tests.samples import FOLDER
from webapp.accounts.api_tokens import make_token
from webapp.http import request_queries
from webapp.infrastructure import readiness
from webapp.models import Run
from webapp.storage import withdrawals
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db
MOST = 10
MORE = {"{configuration}": 11, "{archive}": 28, "{run}": 17, "{system}": 18}
"""Queries of pages with figures of their own or places among all systems, however many metrics there are."""
_TIMED = {
    "dd.txt": samples.dd(2.5),
    "iostat.txt": (FOLDER / "iostat" / "x-t-m.txt").read_bytes(),
    "log_bw.1.log": (FOLDER / "fio-logs" / "log_bw.1.log").read_bytes(),
}
PAGES = [
    "/",
    "/compare",
    "/compare?metric=write.throughput&x=compression&series=os",
    "/compare.json?metric=write.throughput",
    "/archives",
    "/archives?mine=1",
    "/archives?q=xeon&tool=bonnie%2B%2B&sort=-measurements",
    "/configurations",
    "/configurations?q=lz4&cpu=~&sort=memory",
    "/runs",
    "/runs?q=bonnie&fs=~&sort=-measurements",
    "/systems",
    "/systems?q=xeon&arch=~&sort=-memory",
    "/studies",
    "/upload",
    "/sign-in",
    "/healthz",
    "/models/raidz",
    "/data",
    "/data/latest/datapackage.json",
    "/data/2026-11-24/SHA256SUMS",
    "/readyz",
    "/status",
    "/metrics",
    "{archive}",
    "{raw}",
    "{notes}",
    "{system}",
    "{configuration}",
    "{run}",
    "{curves}",
    "{curves_of_runs}",
    "/series",
    "/series/distribution",
    "{distribution}",
    "{percentiles}",
    "{download}",
    "{withdraw}",
    "{publish}",
    "/no-such-page",
]
CALLS = dict.fromkeys(
    [
        "archives",
        "archives?mine=true&limit=500",
        "archives/{pk}",
        "archives/{pk}/files",
        "archives/{pk}/warnings",
        "archives/{pk}/measurements",
        "archives/{pk}/unmeasured",
        "archives/{timed}/series",
        "measurements?metric=write.throughput",
        "runs?metric=write.throughput",
        "configurations?tool=dd",
        "systems?tool=dd",
        "studies",
        "metrics",
        "sets?metric=write.throughput",
        "compare?metric=write.throughput&x=compression&series=os",
        "versus?{sides}",
        "normal?archive={pk}",
        "openapi.json",
    ],
    16,
) | {"archives/{pk}/measurements": 18, "measurements?metric=write.throughput": 21, "archives/{timed}/series": 68}
"""Calls of the API, and the queries that each may ask; those for points of series, of at most 20 a page, grow with these."""

PRIVATE = ("archives?mine=true&limit=500",)


@pytest.fixture(scope="module")
def addresses(rows_of_module):
    """Addresses of a world of several archives, one of them with many kinds of things."""
    readiness.unapplied()  # a process asks once
    for n in range(8):
        config = {"os.name": "Debian", "cpu.model": f"Xeon E5-26{n}0", "pool.compression": "lz4" if n % 2 else "off"}
        making.archive(public=True, records=making.file_records(f"{n}.txt", f"{n}", [1.0 + n, 2.0], config=config))
    archive = samples.received(samples.tar({"a.txt": samples.dd(2.5, 3, damage=True), "b.txt": samples.dd(4)}))
    withdrawals.withdraw_file(archive.pk, "b.txt", "why", archive.owner)
    run = Run.objects.filter(archive=archive).order_by("id")[0]
    other = Run.objects.exclude(archive=archive).order_by("id")[0]
    curves = samples.received(samples.tar({f"{n}/{name}": data for n in range(3) for name, data in _TIMED.items()}))
    timed = list(Run.objects.filter(archive=curves).order_by("id"))
    return {
        "pk": archive.pk,
        "timed": curves.pk,
        "sides": f"a=configuration:{run.configuration_id}&b=configuration:{other.configuration_id}",
        "archive": reverse("archive", args=[archive.pk]),
        "raw": reverse("archive-raw", args=[archive.pk, "a.txt"]),
        "notes": reverse("archive-notes", args=[archive.pk, "failed-run"]),
        "run": reverse("run", args=[run.pk]),
        "curves": f"/series?run={timed[0].pk}",
        "distribution": f"/series/distribution?run={timed[0].pk}",
        "percentiles": f"/series/distribution?kind=percentiles&run={timed[0].pk}",
        "curves_of_runs": "/series?" + "&".join(f"run={one.pk}" for one in timed),
        "system": reverse("system", args=[other.configuration.system_id]),
        "configuration": reverse("configuration", args=[run.configuration_id]),
        "versus": f"/versus?a=configuration:{run.configuration_id}&b=configuration:{other.configuration_id}",
        "publish": reverse("archive-publish", args=[samples.received(samples.dd(7.5), "dd.txt", public=False).pk]),
        "download": reverse("archive-download", args=[archive.pk]),
        "withdraw": reverse("archive-withdraw-value", args=[archive.pk, run.first_measurement]),
    }


@pytest.mark.parametrize("signed", [True, False], ids=["owner", "stranger"])
@pytest.mark.parametrize("address", PAGES)
def test_a_page_asks_little(ann, addresses, address, signed, django_assert_max_num_queries):
    if not signed:
        ann.logout()
    with django_assert_max_num_queries(MORE.get(address, MOST)):
        assert ann.get(address.format(**addresses)).status_code in (200, 302, 404)


@pytest.mark.parametrize("signed", [True, False], ids=["token", "stranger"])
@pytest.mark.parametrize("address", CALLS)
def test_a_call_asks_little(client, addresses, address, signed, django_assert_max_num_queries, monkeypatch):
    monkeypatch.setattr(request_queries, "_SWEEP", 10**9)  # every quarter of an hour a first request deletes old counts, too
    headers = {"Authorization": f"Bearer {make_token(making.user('ann'), 'test', ['read'])}"} if signed else {}
    with django_assert_max_num_queries(CALLS[address]):
        answer = client.get(f"/api/v1/{address.format(**addresses)}", headers=headers)
        assert answer.status_code == (401 if address in PRIVATE and not signed else 200), answer.content
        if answer.streaming:
            list(answer)


def test_two_sides_ask_for_at_most_sixteen(ann, addresses, django_assert_max_num_queries):
    with django_assert_max_num_queries(16):
        assert ann.get(addresses["versus"]).status_code == 200


def test_the_review_asks_for_at_most_twenty_five(ann, addresses, django_assert_max_num_queries):
    with django_assert_max_num_queries(25):
        assert ann.get(addresses["archive"] + "/review").status_code == 200
