"""The check of a dropped evidence bundle."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from cachetools import TTLCache
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from webapp.accounts.throttle import client_network
from webapp.permalinks.bundles import dropped

SLOTS, MOST, WINDOW = 2, 5, 60
"""Checks at a time in one process, since each may take a core, of which an address has one; how many of an address may be stopped
until no more begins for so many seconds."""
_lock = Lock()
_running: list[str] = []
_stopped: TTLCache[str, int] = TTLCache(10_000, WINDOW)


class _Refused(Exception):
    """(sentence, status)"""


@contextmanager
def _slot(address: str) -> Iterator[None]:
    """One of the slots for an address. Raises _Refused."""
    with _lock:
        if address in _running:
            raise _Refused("A bundle from your address is being checked at the moment. Try again when it is done.", 429)
        if _stopped.get(address, 0) >= MOST:
            raise _Refused("Bundles from your address took too much work. Try again in a minute.", 429)
        if len(_running) >= SLOTS:
            raise _Refused("Two bundles are being checked at the moment. Try again in a minute.", 503)
        _running.append(address)
    try:
        yield
    except dropped.Stopped:
        with _lock:
            _stopped[address] = _stopped.get(address, 0) + 1
        raise
    finally:
        with _lock:
            _running.remove(address)


@require_http_methods(["GET", "HEAD", "POST"])
def verify(request):
    """The form, and the outcome for a posted bundle. Nothing of it is kept."""
    if request.method != "POST":
        return render(request, "permalink/verify.html")
    digest, file = "".join(request.POST.get("digest", "").split()).lower(), request.FILES.get("bundle")
    page = {"digest": digest, "name": file.name if file else ""}
    if file is None or file.size > dropped.MAX_BYTES:
        wrong = "Choose the .zip file of a permalink or a collection." if file is None else f"{file.name} is larger than 64 MiB."
        return _refuse(request, page, wrong)
    if digest and (len(digest) != 64 or set(digest) - set("0123456789abcdef")):
        return _refuse(request, page, f"{digest[:70]} is no SHA-256, which has 64 digits 0 to 9 and a to f.")
    try:
        with _slot(client_network(request) or ""):
            outcome = dropped.check_dropped(file, digest)
    except _Refused as refused:
        return _refuse(request, page, *refused.args)
    except dropped.NotABundle as error:
        return _refuse(request, page, str(error))
    except dropped.TooMuch as error:
        return _refuse(
            request, page, f"The bundle was not checked: it has {error}. Check it on your machine: python3 -I verify.py DIGEST."
        )
    return render(request, "permalink/verify.html", page | {"outcome": outcome})


def _refuse(request, page, wrong: str, status: int = 400):
    """The form with what is wrong; after a minute it may be tried again where the site was busy."""
    answer = render(request, "permalink/verify.html", page | {"wrong": wrong}, status=status)
    if status != 400:
        answer["Retry-After"] = WINDOW
    return answer
