"""Comparisons of the API are those of the pages' own data, byte for byte."""

from __future__ import annotations

import pytest
from django.test import Client

from webapp.api.tests.test_api import bearer
from webapp.models import Permalink
from webapp.tests import frozen, making, samples

pytestmark = pytest.mark.django_db
ADDRESSES = [
    "compare.json?",
    "compare.json?metric=write.throughput",
    "compare.json?metric=write.throughput&x=compression&baseline=off",
    "compare.json?metric=write.throughput&x=host&kind=box&stat=median&memory=..64GiB",
    "compare.json?q=lz4+dd&unknown=1&metric=nothing",
    f"compare.json?tool=&archive=x&study=a%00b&q={'0' * 201}",
    "compare.json?metric=write.throughput&x=archive&archive={archive}&archive={private}",
    "versus.json?a=archive:{archive}&b=archive:{other}",
    "versus.json?a=compression=lz4&b=compression=off&metric=write.throughput",
    "normal.json?archive={archive}",
    "normal.json?archive={archive}&metric=write.throughput",
]


@pytest.fixture(scope="module")
def world(rows_of_module):
    both = samples.dd_by_compression(off=[2.5, 2.6, 2.4], lz4=[1.5, 1.4, 1.6])
    return {
        "archive": samples.received(both, "dd.txt").pk,
        "other": samples.received(samples.dd_by_compression(off=[3.5, 3.6], lz4=[1.7, 1.8]), "dd.txt").pk,
        "private": samples.received(samples.dd(9.5), "dd.txt", public=False).pk,
    }


@pytest.mark.parametrize("is_signed", [False, True], ids=["anybody", "owner"])
@pytest.mark.parametrize("address", ADDRESSES)
def test_the_api_says_what_the_page_says(client, world, address, is_signed):
    name, _, query = address.format(**world).partition("?")
    ann = making.user("ann")
    if is_signed:
        client.force_login(ann)
    asked = Client(headers=bearer(ann)) if is_signed else Client()
    page, answer = client.get(f"/{name}?{query}"), asked.get(f"/api/v1/{name.removesuffix('.json')}?{query}")
    assert page.status_code == answer.status_code == 200
    assert answer.content == page.content
    again = asked.get(f"/api/v1/{name.removesuffix('.json')}?{query}", headers={"If-None-Match": answer["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("versus?a=archive:1", 422),
        ("versus", 422),
        ("versus?a=archive:x&b=archive:1", 404),
        ("normal", 422),
        ("normal?archive=0", 404),
        ("normal?archive={private}", 404),
        ("permalinks/nothing", 404),
        ("permalinks/%00", 404),
    ],
)
def test_what_names_nothing_is_a_problem(client, world, address, status):
    answer = client.get(f"/api/v1/{address.format(**world)}")
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")


def test_a_side_that_matches_nothing_is_named(client, world):
    answer = client.get("/api/v1/versus?a=compression=zstd&b=compression=off")
    assert answer.status_code == 404 and "matches compression=zstd" in answer.json()["detail"]
    assert "matches the given query" not in client.get("/api/v1/archives/999999").json()["detail"]


def test_a_permalink_is_its_record(client, world):
    link = frozen.freeze()
    answer = client.get(f"/api/v1/permalinks/{link.pk.upper()}")
    assert answer.content == bytes(Permalink.objects.get().record)
    assert answer["ETag"] == f'"{link.digest}"'
