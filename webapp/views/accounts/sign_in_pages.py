"""Sign-in by a single-use link, or by password where the account has one; sign-out."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, unquote

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout
from django.contrib.auth.forms import AuthenticationForm
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from webapp.accounts import sign_in_links, throttle

_BACKEND = "django.contrib.auth.backends.ModelBackend"
_NEXT, _NEXT_SECONDS = f"{settings.COOKIE_PREFIX}poolmark_next", 1800
"""The cookie that takes the wanted address from the sign-in page to a sign-in link, and how long it is kept."""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request):
    """Instructions for a sign-in link, and the password form."""
    target = _target(request)
    if request.user.is_authenticated:
        return redirect(target)
    form = AuthenticationForm(request, request.POST or None)
    if request.method == "POST" and form.is_valid():
        login(request, form.get_user())
        return redirect(target)
    answer = render(request, "sign_in/sign_in.html", {"form": form, "next": request.GET.get("next", "")})
    if target != "/":
        answer.set_cookie(_NEXT, quote(target), max_age=_NEXT_SECONDS, **_cookie_facts(request))
    return answer


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_link(request, token):
    """GET shows a button and leaves the link valid, as mail programs and chats prefetch links. POST uses the link."""
    if not throttle.is_open(request):
        return _refuse(request, "link")
    if request.method == "POST":
        user = sign_in_links.use_token(token)
        if user is not None:
            login(request, user, backend=_BACKEND)
            messages.success(request, f"You are signed in as {user.get_username()}.")
            answer = redirect(_target(request, unquote(request.COOKIES.get(_NEXT, ""))))
            answer.set_cookie(_NEXT, "", max_age=0, **_cookie_facts(request))
            return answer
    good = sign_in_links.is_token_valid(token)
    if not good:
        throttle.count_wrong_link(request)
    blocked = "" if good else sign_in_links.block_message(token)
    return render(request, "sign_in/link.html", {"good": good, "blocked": blocked}, status=200 if good else 410)


def locked_out(request, _answer=None, credentials=None):
    """Instead of the answer to a password that was not tried, and to the last that was (`AXES_LOCKOUT_CALLABLE`)."""
    return _refuse(request, "password" if (credentials or {}).get("username") else "link")


def _refuse(request, kind: str):
    """429 with what to do."""
    throttle.count_refusal(kind)
    minutes = throttle.minutes()
    answer = render(request, "sign_in/too_many.html", {"minutes": minutes, "kind": kind}, status=429)
    answer["Retry-After"] = str(60 * minutes)
    return answer


def _cookie_facts(request) -> dict[str, Any]:
    """Arguments of the cookie that remembers the wanted address."""
    return {"httponly": True, "samesite": "Lax", "secure": request.is_secure()}


@require_POST
def sign_out(request):
    logout(request)
    return redirect("/")


def _target(request, remembered: str = "") -> str:
    """The address to redirect to, on this site only."""
    target = request.POST.get("next") or request.GET.get("next") or remembered
    safe = url_has_allowed_host_and_scheme(target, {request.get_host()}, request.is_secure())
    return target if safe else "/"
