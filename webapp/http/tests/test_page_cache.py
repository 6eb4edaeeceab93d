"""304 and kept pages: never a stale one, never a part for a page, never one reader's for another."""

from __future__ import annotations

import gzip

import brotli
import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from webapp.storage import load
from webapp.tests import making

pytestmark = pytest.mark.django_db
COMPARE = "/compare?metric=write.throughput&x=compression"
HTMX = {"HX-Request": "true"}
BACK = {**HTMX, "HX-History-Restore-Request": "true"}


def archive(*values: float, **facts):
    config = {"os.family": "Linux", "pool.compression": facts.pop("compression", "lz4")}
    return making.archive(records=making.file_records(f"{values}.csv", f"{values}", list(values), config=config), **facts)


def queries(client, address: str, **headers) -> int:
    with CaptureQueriesContext(
        connection,
    ) as caught:
        assert client.get(address, **headers).status_code in (200, 304)
    return len(caught)


@pytest.mark.parametrize("address", ["/", COMPARE, "/compare.json?metric=write.throughput", "/systems", "/studies"])
def it_answers_again_with_one_query(client, address):
    archive(1e8, 2e8, public=True)
    first, again = client.get(address), client.get(address)
    assert (first.content, first["Content-Type"], first["ETag"]) == (again.content, again["Content-Type"], again["ETag"])
    assert queries(client, address) == 1
    assert queries(client, address, headers={"If-None-Match": first["ETag"]}) == 1


@pytest.mark.parametrize(
    ("accepted", "encoding", "unpack"),
    [
        ("gzip", "gzip", gzip.decompress),
        ("gzip, deflate, br, zstd", "br", brotli.decompress),
        ("br;q=1.0, gzip;q=0.8", "br", brotli.decompress),
        ("x-gzip-br2, gzip", "gzip", gzip.decompress),
    ],
)
def it_keeps_the_compressed_page_too(client, accepted, encoding, unpack):
    archive(1e8, public=True)
    plain = client.get(COMPARE).content
    for _ in range(2):
        packed = client.get(COMPARE, headers={"Accept-Encoding": accepted})
        assert packed["Content-Encoding"] == encoding and unpack(packed.content) == plain
        assert int(packed["Content-Length"]) == len(packed.content) and packed["ETag"].startswith("W/")
        assert "Accept-Encoding" in packed["Vary"]
    assert client.get(COMPARE, headers={"If-None-Match": packed["ETag"]}).status_code == 304
    other = client.get(COMPARE, headers={"Accept-Encoding": "identity"})
    assert other.content == plain and not other.has_header("Content-Encoding")


def it_hides_the_length_of_what_one_user_sees(ann):
    """Django's gzip adds random bytes, brotli cannot."""
    archive(1e8)
    assert ann.get(COMPARE, headers={"Accept-Encoding": "gzip, br"})["Content-Encoding"] == "gzip"


def it_never_takes_a_part_for_the_page(client):
    archive(1e8, public=True)
    part = client.get(COMPARE, headers=HTMX)
    for headers in ({}, BACK):
        page = client.get(COMPARE, headers={**headers, "If-None-Match": part["ETag"]})
        assert page.status_code == 200 and b"<html" in page.content
    again = client.get(COMPARE, headers=HTMX)
    assert b"<html" not in again.content and again["HX-Push-Url"] == part["HX-Push-Url"]
    assert {"HX-Request", "HX-History-Restore-Request", "Cookie"} <= {name.strip() for name in again["Vary"].split(",")}


def it_keeps_nothing_of_a_reader_who_is_signed_in(ann):
    archive(1e8)
    assert "1 run of 1 configuration" in ann.get(COMPARE).content.decode()
    assert not _kept()
    assert "1 run of 1 configuration" not in Client().get(COMPARE).content.decode()


def it_keeps_no_page_with_a_token(client):
    archive(1e8, public=True)
    client.get(COMPARE)
    before = _kept()
    assert before  # a page without a token is kept
    assert b"csrfmiddlewaretoken" in client.get("/sign-in").content
    assert _kept() == before


def _kept() -> list[str]:
    return [key.split(":", 2)[2] for key in cache._cache]


def it_is_never_stale(client):
    """Every writer in turn: what a reader sees is what a reader without any cache sees."""
    other, gone = archive(1e8, public=True), archive(9e8, public=True, compression="gzip-6")
    steps = [
        lambda: archive(3e8, public=True, compression="off"),
        lambda: load.store(other.pk, making.file_records("again.csv", "again", [7e8])),
        lambda: load.unpublish(other.pk),
        lambda: load.publish(other.pk),
        lambda: load.delete(gone.pk),
        lambda: load.withdraw(other.pk, "A broken disk."),
    ]
    for step in steps:
        before = client.get(COMPARE).content
        step()
        after = client.get(COMPARE).content
        cache.clear()
        assert after == client.get(COMPARE).content != before
