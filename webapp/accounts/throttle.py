"""Failed sign-ins: after `AXES_FAILURE_LIMIT` of an account or an address within `AXES_COOLOFF_TIME` no more are tried.

django-axes counts them in the database. A wrong link counts for its address alone, since it names no account. An account
whose passwords were guessed at still signs in by link.
"""

from __future__ import annotations

import functools
import ipaddress
import logging

from axes.handlers.proxy import AxesProxyHandler
from django.conf import settings
from django.contrib.auth.signals import user_login_failed
from django.db import DatabaseError, transaction

from webapp.monitoring import metrics
from webapp.monitoring.logs import mask_secrets

log = logging.getLogger(__name__)
_NO_ACCOUNT = {"username": None}


def minutes() -> int:
    """For how long nothing is tried after the last failure."""
    return int(settings.AXES_COOLOFF_TIME.total_seconds() // 60)


def is_open(request) -> bool:
    """Whether a link may be tried from this address."""
    return AxesProxyHandler.is_allowed(request, _NO_ACCOUNT)


def count_wrong_link(request) -> None:
    """Count a link that is unknown, used or too old; not where the database cannot be written."""
    AxesProxyHandler.update_request(request)
    request.axes_path_info = mask_secrets(request.axes_path_info)
    try:
        with transaction.atomic():
            user_login_failed.send(sender=__name__, credentials=_NO_ACCOUNT, request=request)
    except DatabaseError:
        log.warning("A wrong link was not counted: the database cannot be written.")


def count_refusal(kind: str) -> None:
    """Count a sign-in that was not tried, for /metrics."""
    metrics.SIGN_INS_REFUSED.labels(kind).inc()


@functools.cache
def _say_that_all_are_one() -> None:
    """Once in each process."""
    log.warning(
        "Requests come through a proxy or a socket and POOLMARK_PROXIES is 0: their failed sign-ins count as one address's."
    )


def counted_by(_request, credentials: dict | None = None) -> list[str | list[str]]:
    """What failures are counted by (`AXES_LOCKOUT_PARAMETERS`): links by address, apart from passwords."""
    return ["username", "ip_address"] if (credentials or {}).get("username") else [["username", "ip_address"]]


def client_network(request) -> str | None:
    """The reader's IPv4 address, or /64 of IPv6 since a single customer has one; None where there is no address (a socket).

    Of `X-Forwarded-For` the address is believed that the outermost of `POOLMARK_PROXIES` has added, and none before it.
    """
    address, proxies = request.META.get("REMOTE_ADDR", ""), settings.POOLMARK_PROXIES
    forwarded = [part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")]
    if proxies and len(forwarded) >= proxies and forwarded[-proxies]:
        address = forwarded[-proxies]
    elif not proxies and (forwarded[-1] or not address):
        _say_that_all_are_one()
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return None
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, 64), strict=False).network_address)
