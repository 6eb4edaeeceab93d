"""The WSGI application that names, counts and logs requests."""

from __future__ import annotations

import logging

import pytest

from webapp.monitoring import metrics
from webapp.monitoring.logs import part_of, with_request_log
from webapp.urls import urlpatterns


def site(environ, start_response):
    if environ["PATH_INFO"] == "/broken":
        raise ValueError("broken")
    start_response("404 Not Found" if environ["PATH_INFO"] == "/none" else "200 OK", [])
    return [b"one", b"two"]


def ask(path, **environ):
    headers = {}

    def start(status, given):
        headers.update(given)

    answer = with_request_log(site)({"PATH_INFO": path, "REQUEST_METHOD": "GET", **environ}, start)
    body = b"".join(answer)
    answer.close()
    return body, headers


def counted(part, status, method="GET"):
    return metrics.REQUESTS.labels(part, method, status)._value.get()


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("/", "home"),
        ("/compare", "compare"),
        ("/compare.json", "compare"),
        ("/p/abc.pdf", "p"),
        ("/wp-login.php", "other"),
        ("", "home"),
    ],
)
def test_parts_of_addresses(path, part):
    assert part_of(path) == part


def test_every_address_of_the_site_has_a_part_of_its_own():
    addresses = {str(pattern.pattern) for pattern in urlpatterns}
    others = {address for address in addresses if part_of(f"/{address}") == "other"}
    assert others <= {"robots.txt", "llms.txt", "sitemap.xml", "sitemap-<section>.xml"}, others


def test_each_answer_is_counted_once_with_its_status():
    before = counted("compare", "200"), counted("other", "404")
    assert ask("/compare")[0] == b"onetwo"
    ask("/none")
    assert (counted("compare", "200") - before[0], counted("other", "404") - before[1]) == (1, 1)


def test_a_fault_is_counted_and_passed_on():
    before = counted("other", "500")
    with pytest.raises(ValueError, match="broken"):
        ask("/broken")
    assert counted("other", "500") - before == 1


def test_strange_methods_share_a_label():
    before = counted("home", "200", "other")
    ask("/", REQUEST_METHOD="X" * 5000)
    assert counted("home", "200", "other") - before == 1


@pytest.mark.parametrize(
    ("given", "kept"),
    [("req-12345678", True), ("short", False), ("has space 123", False), ("x" * 100, False), ("a\nb-12345", False)],
)
def test_the_name_of_a_request_is_the_proxys_where_it_is_a_name(given, kept):
    name = ask("/", HTTP_X_REQUEST_ID=given)[1]["X-Request-ID"]
    assert (name == given) is kept
    assert len(name) >= 8


def test_the_line_of_a_request(caplog):
    with caplog.at_level(logging.INFO, logger="poolmark.request"):
        ask("/compare", QUERY_STRING="x=os")
    (record,) = [record for record in caplog.records if record.name == "poolmark.request"]
    assert (record.getMessage(), record.bytes) == ("200 GET /compare?x=os", 6)


def test_health_checks_are_not_logged(caplog):
    with caplog.at_level(logging.INFO, logger="poolmark.request"):
        ask("/healthz")
    assert not caplog.records
