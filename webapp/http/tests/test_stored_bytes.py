"""Stored bytes: 304, ranges, and what is no range."""

import pytest
from django.test import RequestFactory

from webapp.http.stored_bytes import bytes_response

DATA = b"0123456789"


def answer(**headers: str):
    return bytes_response(RequestFactory().get("/", headers=headers), DATA, "text/csv", "ab", "inline")


@pytest.mark.parametrize(
    ("asked", "status", "body", "where"),
    [
        ("bytes=0-3", 206, b"0123", "bytes 0-3/10"),
        ("bytes=4-", 206, b"456789", "bytes 4-9/10"),
        ("bytes=8-99", 206, b"89", "bytes 8-9/10"),
        ("bytes=-3", 206, b"789", "bytes 7-9/10"),
        ("bytes=-99", 206, DATA, "bytes 0-9/10"),
        ("bytes=10-", 416, b"", "bytes */10"),
        ("bytes=-0", 416, b"", "bytes */10"),
        ("bytes=5-2", 200, DATA, None),
        ("bytes=12-11", 200, DATA, None),
        (f"bytes={'9' * 5000}-", 200, DATA, None),
        ("bytes=-", 200, DATA, None),
        ("bytes=0-1,3-4", 200, DATA, None),
        ("lines=0-1", 200, DATA, None),
    ],
)
def test_ranges(asked, status, body, where):
    response = answer(range=asked)
    assert (response.status_code, response.content, response.get("Content-Range")) == (status, body, where)
    assert response["ETag"] == '"ab"' and response["Accept-Ranges"] == "bytes"


def test_what_the_reader_has_is_not_sent_again():
    response = answer(**{"if-none-match": '"ab"'})
    assert response.status_code == 304 and response.content == b"" and response["ETag"] == '"ab"'
    assert answer(**{"if-none-match": '"cd"'}).content == DATA


def test_a_range_of_other_bytes_is_all_of_them():
    assert answer(**{"range": "bytes=0-3", "if-range": '"cd"'}).content == DATA
    assert answer(**{"range": "bytes=0-3", "if-range": '"ab"'}).content == b"0123"
