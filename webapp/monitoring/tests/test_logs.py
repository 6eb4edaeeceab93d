"""Log lines: what they belong to, and what must never be in them."""

from __future__ import annotations

import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.monitoring.logs import REQUEST, Context, LineFormatter, PlainFormatter, about_archive, mask_secrets


def logged(formatter, message, *args, error=None):
    record = logging.LogRecord("poolmark.test", logging.INFO, __file__, 1, message, args, error)
    Context().filter(record)
    return formatter.format(record)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"Authorization: Bearer poolmark_{'-a' * 21}b", "Authorization: Bearer poolmark_***"),
        ("GET /sign-in/M0aQ00NpnHv_-F", "GET /sign-in/***"),
        ('"GET /sign-in/abc?next=/upload HTTP/1.1"', '"GET /sign-in/***?next=/upload HTTP/1.1"'),
        ("POST /x?token=abc&a=1", "POST /x?token=***&a=1"),
        ("csrfmiddlewaretoken=abc", "csrfmiddlewaretoken=***"),
        ("Cookie sessionid=abc; a=b", "Cookie sessionid=***; a=b"),
        ("GET /sign-in", "GET /sign-in"),
        ("GET /compare?metric=write.throughput&x=os", "GET /compare?metric=write.throughput&x=os"),
    ],
)
def test_tokens_are_masked(text, masked):
    assert mask_secrets(text) == masked


@given(st.from_regex(r"[A-Za-z0-9_-]{20,60}", fullmatch=True))
def test_no_sign_in_link_is_in_any_line(token):
    for formatter in (PlainFormatter(), LineFormatter()):
        assert token not in logged(formatter, "200 GET %s", f"/sign-in/{token}")


def test_a_line_says_which_request_and_archive_it_belongs_to():
    set_to = REQUEST.set("0123456789abcdef")
    with about_archive(7):
        plain, line = logged(PlainFormatter(), "read %s", "a.txt"), json.loads(logged(LineFormatter(), "read %s", "a.txt"))
    REQUEST.reset(set_to)
    assert plain.endswith("poolmark.test: read a.txt (request 0123456789abcdef, archive 7)")
    assert (line["message"], line["request"], line["archive"], line["level"]) == ("read a.txt", "0123456789abcdef", 7, "INFO")
    assert "request" not in json.loads(logged(LineFormatter(), "later"))


def test_tracebacks_are_masked_too():
    try:
        raise ValueError("/sign-in/abcdefgh failed")
    except ValueError as error:
        line = logged(LineFormatter(), "failed", error=(ValueError, error, error.__traceback__))
    assert "abcdefgh failed" not in line.replace('raise ValueError("/sign-in/abcdefgh', "")
    assert "/sign-in/***" in line
