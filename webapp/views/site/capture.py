"""The capture kit as a file to fetch, and its digest."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.http import HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

NAME = "poolmark-capture.sh"
_HOUR = 3600


class Kit(NamedTuple):
    """The kit's bytes, and their SHA-256 in hexadecimal."""

    content: bytes
    digest: str


@cache
def read_kit() -> Kit:
    content = (Path(settings.BASE_DIR) / "client" / NAME).read_bytes()
    return Kit(content, hashlib.sha256(content).hexdigest())


@require_safe
@cache_control(public=True, max_age=_HOUR)
def script(request):
    """The kit, as in the checkout that serves it."""
    kit = read_kit()
    response = HttpResponse(kit.content, content_type="text/x-shellscript; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{NAME}"'
    response["ETag"] = f'"{kit.digest}"'
    return response


@require_safe
@cache_control(public=True, max_age=_HOUR)
def digest(request):
    """A line for `sha256sum -c`."""
    return HttpResponse(f"{read_kit().digest}  {NAME}\n", content_type="text/plain; charset=utf-8")
