"""Webhooks: found by the scheduler, signed, delivered in order and at least once, to public machines alone."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import http.client
import json
import socket
import time
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import get_args

import pytest
import time_machine
from django.utils import timezone

from webapp.accounts import api_tokens, audit
from webapp.archives import lifecycle
from webapp.infrastructure import outgoing
from webapp.jobs import hooks
from webapp.models import Archive, LogEntry, Webhook
from webapp.tests import frozen, making

pytestmark = pytest.mark.django_db


class Receiver:
    """A server on loopback that keeps what it gets, and answers with `status`."""

    def __init__(self):
        self.got, self.status = [], 204
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.got.append((dict(self.headers), body))
                self.send_response(outer.status)
                if outer.status == 302:
                    self.send_header("Location", outer.url + "/elsewhere")
                self.end_headers()

            def log_message(self, *args):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        Thread(target=self.server.serve_forever, daemon=True).start()


def drip(server: socket.socket, begin: bytes) -> None:
    """Answer one request with something that never ends, a byte at a time."""
    connection, _ = server.accept()
    connection.recv(4096)
    with connection, contextlib.suppress(OSError):
        connection.sendall(begin)
        while True:
            connection.sendall(b"x")
            time.sleep(0.02)


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")  # a socket that cannot be hung up
@pytest.mark.parametrize(
    ("scheme", "begin"),
    [
        ("http", b"HTTP/1.1 200 OK\r\nX: "),
        ("http", b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"),
        ("https", b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc"),  # a handshake of 16 KiB
    ],
)
def test_a_receiver_that_answers_for_ever_keeps_no_worker(settings, monkeypatch, scheme, begin):
    settings.POOLMARK_WEBHOOKS_PRIVATE = True
    monkeypatch.setattr(outgoing, "LONGEST", 0.3)
    hang_up = socket.socket.shutdown

    def hang_up_and_be_slow(*args):
        hang_up(*args)
        time.sleep(0.2)

    monkeypatch.setattr(socket.socket, "shutdown", hang_up_and_be_slow)
    with socket.create_server(("127.0.0.1", 0)) as server:
        Thread(target=drip, args=(server, begin), daemon=True).start()
        with pytest.raises((OSError, http.client.HTTPException)):
            outgoing.post(f"{scheme}://127.0.0.1:{server.getsockname()[1]}/hook", b"{}", {})


@pytest.fixture
def receiver(settings):
    settings.POOLMARK_WEBHOOKS_PRIVATE = True
    made = Receiver()
    yield made
    made.server.shutdown()
    made.server.server_close()


def webhook(url: str, *events: str) -> Webhook:
    return Webhook.objects.create(owner=making.user("ann"), url=url, events=list(events or hooks.EVENTS), secret="s" * 64)


def read_archive(**facts) -> Archive:
    row = making.archive(records=making.file_records("a.csv", "a", [1e8]))
    Archive.objects.filter(pk=row.pk).update(began_at=timezone.now(), **facts)
    return row


def test_a_delivery_is_signed_and_repeated_with_its_id(receiver):
    hook = webhook(receiver.url)
    row = read_archive()
    assert hooks.find_new() == 1 and hooks.find_new() == 0
    receiver.status = 500
    assert hooks.deliver(hook.pk) == "pending"
    receiver.status = 204
    with time_machine.travel(timezone.now() + timedelta(minutes=1)):
        assert hooks.deliver(hook.pk) == "delivered"
    assert hooks.deliver(hook.pk) == "nothing-to-do"
    first, second = [json.loads(body) for _, body in receiver.got]
    assert first == second and first["event"] == "archive.read"
    assert first["archive"]["id"] == row.pk and first["archive"]["state"] == "read"
    for headers, body in receiver.got:
        signed = headers["X-Poolmark-Timestamp"].encode() + b"." + body
        expected = hmac.new(hook.secret.encode(), signed, hashlib.sha256).hexdigest()
        assert headers["X-Poolmark-Signature"] == f"sha256={expected}" and headers["X-Poolmark-Delivery"] == first["id"]


def test_failed_readings_are_told_and_private_ones_of_others_are_not(receiver):
    hook = webhook(receiver.url)
    read_archive(state="failed", failure="No results.")
    other = making.archive(owner="bo", records=making.file_records("b.csv", "b", [1e8]))
    Archive.objects.filter(pk=other.pk).update(began_at=timezone.now())
    hooks.find_new()
    assert [one.payload["archive"]["failure"] for one in hook.deliveries.all()] == ["No results."]


@pytest.mark.parametrize("status", [500, 404, 302])
def test_retries_wait_longer_and_end_after_a_day(receiver, status):
    hook = webhook(receiver.url)
    read_archive()
    read_archive()
    hooks.find_new()
    receiver.status, waits, start = status, [], datetime.now(UTC)
    now = start
    while hook.is_active and len(waits) < 100:
        with time_machine.travel(now, tick=False):
            due = []
            hooks.send_due(due.append)
            assert due == [hook.pk]
            hooks.deliver(hook.pk)
            hook.refresh_from_db()
            first = hook.deliveries.order_by("number").first()
        if first.next_at:
            waits.append((first.next_at - now).total_seconds())
            now = first.next_at
    assert waits[:4] == [30, 120, 480, 1920] and waits == sorted(waits) and max(waits) == 4 * 3600
    assert timedelta(days=1) <= now - start < timedelta(days=1, hours=5)
    assert first.state == "failed" and f"status {status}" in hook.note
    ids = {headers["X-Poolmark-Delivery"] for headers, _ in receiver.got}
    assert ids == {str(first.pk)}  # the second waits for the first
    due = []
    hooks.send_due(due.append)
    assert due == [] and hooks.deliver(hook.pk) == "nothing-to-do"


def test_they_come_in_order(receiver):
    hook = webhook(receiver.url)
    rows = [read_archive().pk for _ in range(3)]
    hooks.find_new()
    hooks.deliver(hook.pk)
    assert [json.loads(body)["archive"]["id"] for _, body in receiver.got] == rows


def test_a_source_of_a_permalink_that_is_withdrawn(receiver):
    row = making.archive(public=True, records=making.file_records("a.csv", "a", [1e8, 2e8]))
    permalink = frozen.freeze(f"metric=write.throughput&archive={row.pk}")
    other = making.archive(public=True, records=making.file_records("b.csv", "b", [1e8, 2e8]))
    hook = webhook(receiver.url, hooks.CORRECTED)
    Webhook.objects.update(owner=permalink.owner)
    Webhook.objects.update(log_seen=LogEntry.objects.count())
    actor = audit.command_line_actor()
    for one in (other, row):
        lifecycle.perform_action(one.pk, "withdraw", actor, "wrong disk")
    assert hooks.find_new() == 1 and hooks.find_new() == 0
    [told] = hook.deliveries.all()
    assert told.payload["log"]["kind"] == "withdraw" and told.payload["log"]["reason"] == "wrong disk"
    assert told.payload["permalinks"][0].endswith(f"/p/{permalink.pk}")


ADDRESSES = {
    "127.0.0.1": False, "10.1.2.3": False, "192.168.0.1": False, "172.16.0.1": False, "169.254.169.254": False, "0.0.0.0": False,
    "100.64.0.1": False, "224.0.0.1": False, "::1": False, "fe80::1": False, "fc00::1": False, "::ffff:127.0.0.1": False,
    "2002:7f00:1::": False, "ff02::1": False, "8.8.8.8": True, "2606:4700::1111": True,
}  # fmt: skip


@pytest.mark.parametrize("ip", ADDRESSES)
def test_only_public_machines_are_asked(monkeypatch, ip):
    """Of several addresses of a name each has to be public; what was checked is connected to."""
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, 80)) for one in ("8.8.4.4", ip)]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **kwargs: found)
    connected = []

    def connect(address, timeout):
        connected.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(ConnectionRefusedError if ADDRESSES[ip] else outgoing.Refused):
        outgoing.post("http://example.org/hook", b"{}", {})
    assert connected == ([("8.8.4.4", 80)] if ADDRESSES[ip] else [])


@pytest.mark.parametrize(
    "url",
    ["ftp://example.org", "file:///etc/passwd", "http://", "http://u:p@example.org", "http://a b", "http://[", "http://é.org"],
)
def test_other_addresses_are_refused(url):
    with pytest.raises(outgoing.Refused):
        outgoing.check_address(url)


def call(client, method: str, address: str, token: str, body: dict | None = None):
    return client.generic(
        method,
        f"/api/v1/webhooks{address}",
        json.dumps(body) if body else b"",
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}"},
    )


def test_the_api_makes_lists_tests_and_deletes(client, receiver, monkeypatch):
    manage, push, other = [
        api_tokens.make_token(making.user(name), "t", [scope], 1)
        for name, scope in (("ann", "manage"), ("ann", "push"), ("bo", "manage"))
    ]
    new = {"url": receiver.url, "events": ["archive.read"]}
    assert call(client, "POST", "", push, new).status_code == 403
    assert call(client, "POST", "", manage, new | {"url": "ftp://x"}).status_code == 422
    assert call(client, "POST", "", manage, new | {"events": ["none"]}).status_code == 422
    made = call(client, "POST", "", manage, new)
    assert made.status_code == 201 and len(made.json()["secret"]) == 64
    pk = made.json()["id"]
    listed = call(client, "GET", "", manage).json()["items"]
    assert [one["id"] for one in listed] == [pk] and "secret" not in listed[0]
    for method, address in (("GET", f"/{pk}"), ("DELETE", f"/{pk}"), ("POST", f"/{pk}/test")):
        assert call(client, method, address, other).status_code == 404
    from webapp.api import webhooks

    assert get_args(webhooks.EventName) == tuple(hooks.EVENTS)
    monkeypatch.setattr(webhooks.deliver_webhook, "delay", hooks.deliver)
    assert call(client, "POST", f"/{pk}/test", manage).status_code == 202
    [delivery] = call(client, "GET", f"/{pk}", manage).json()["deliveries"]
    assert (delivery["event"], delivery["state"], delivery["response_code"]) == ("test", "delivered", 204)
    assert call(client, "DELETE", f"/{pk}", manage).status_code == 204
    assert call(client, "GET", f"/{pk}", manage).status_code == 404
