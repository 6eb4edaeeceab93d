"""The origin (scheme and host) of frozen addresses: the public one of the settings, else that of a local instance."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

LOCAL_FROZEN = (
    "Frozen on a local instance: this address works on this machine only. To cite the figure, set POOLMARK_ORIGINS to the public "
    "address, freeze again, and cite that version."
)
LOCAL_WARNING = (
    "This site has no public address: the permalink will work on this machine only, and citations will say so. The operator "
    "sets an address with POOLMARK_ORIGINS."
)


@dataclass(frozen=True, slots=True)
class Origin:
    """`site`: as `https://bench.example.org`. `is_local`: its addresses may lead nowhere beyond this machine."""

    site: str
    is_local: bool


def find_origin(request=None) -> Origin:
    """The public origin; without one that of the request, or the address that script/server has printed."""
    if settings.PUBLIC_ORIGIN:
        return Origin(settings.PUBLIC_ORIGIN, False)
    return Origin(request.build_absolute_uri("/")[:-1] if request is not None else settings.LOCAL_ORIGIN, True)
