"""Requests to addresses that people name: by http and https, to public machines, without redirects."""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import threading
from collections.abc import Mapping
from urllib.parse import urlsplit

from django.conf import settings

TIMEOUT = 10.0
"""Seconds of silence of the other side."""
LONGEST = 30.0
"""Seconds of a whole request: a receiver that sends a byte now and then keeps no worker."""
_MAX_ANSWER = 1024


class Refused(ValueError):
    """An address that no request is sent to; its text says why."""


def check_address(url: str) -> tuple[str, str, int, str]:
    """(scheme, host, port, path with query) of an address that a request may name. Raises Refused; looks no name up."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme, 0)
    except ValueError:
        raise Refused("This is no address.") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Refused("The address must begin with http:// or https:// and name a host.")
    if parts.username or parts.password or not url.isascii() or not url.isprintable() or " " in url:
        raise Refused("The address must be printable ASCII without a user name.")
    return parts.scheme, parts.hostname, port, (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def find_public_ip(host: str, port: int) -> str:
    """An address of the host that may be connected to. Raises Refused where any of its addresses is private, unless
    POOLMARK_WEBHOOKS_PRIVATE allows that, and OSError where it is unknown."""
    found = [str(row[4][0]) for row in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    if not settings.POOLMARK_WEBHOOKS_PRIVATE and not all(map(_is_public, found)):
        raise Refused(f"{host} is not a public machine: this site sends nothing to private, local or reserved addresses.")
    return found[0]


def _is_public(text: str) -> bool:
    ip = ipaddress.ip_address(text.partition("%")[0])
    embedded = ip.ipv4_mapped or ip.sixtofour or (ip.teredo or (None, None))[1] if isinstance(ip, ipaddress.IPv6Address) else None
    return ip.is_global and not ip.is_multicast and (embedded is None or embedded.is_global)


def post(url: str, body: bytes, headers: Mapping[str, str]) -> int:
    """Send a POST to the address that was checked, and to no other: the status of the answer. Raises Refused, OSError,
    HTTPException."""
    scheme, host, port, path = check_address(url)
    ip = find_public_ip(host, port)
    connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT)
    connected = socket.create_connection((ip, port), timeout=TIMEOUT)
    late = threading.Event()

    def hang_up() -> None:
        late.set()  # before the socket, since the reader wakes at once
        connected.shutdown(socket.SHUT_RDWR)

    end = threading.Timer(LONGEST, hang_up)
    end.start()
    try:
        if scheme == "https":
            context = ssl.create_default_context()
            connected = context.wrap_socket(connected, server_hostname=host, do_handshake_on_connect=False)
            connected.do_handshake()  # not in wrap_socket, where the socket could not be hung up
        connection.sock = connected
        connection.request("POST", path, body, dict(headers))
        answer = connection.getresponse()
        answer.read(_MAX_ANSWER)
        if late.is_set():  # an answer whose head was cut looks whole
            raise TimeoutError(f"no answer within {LONGEST:g} s")
        return answer.status
    finally:
        end.cancel()
        connected.close()
