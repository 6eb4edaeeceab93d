"""What `manage.py check --deploy` says of sign-in behind a proxy."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import Tags, Warning, register

PROXIES = "poolmark.W001"


@register(Tags.security, deploy=True)
def check_proxies(**_: Any) -> list[Warning]:
    """Without a proxy that is believed, all who come through one, or through a socket, are one address."""
    if settings.POOLMARK_PROXIES:
        return []
    return [
        Warning(
            "POOLMARK_PROXIES is 0: behind a proxy or a socket all readers count as one address, and ten failed sign-ins of one "
            "shut all of them out for 15 minutes.",
            hint="Set POOLMARK_ORIGINS, or POOLMARK_PROXIES to the number of proxies in front.",
            id=PROXIES,
        )
    ]
