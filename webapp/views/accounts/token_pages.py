"""The tokens of a person for the API: made, listed, revoked."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from webapp.accounts import api_tokens, audit
from webapp.formatting.numbers import line
from webapp.models import ApiToken
from webapp.permalinks.frozen_addresses import find_origin

_SHOWN = 200


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request):
    """The list, and the form. POST makes a token, which this answer alone shows; 422 where it cannot."""
    if request.method != "POST":
        return _show(request)
    typed = {name: request.POST.get(name, "") for name in ("name", "scope", "days")}
    try:
        days = int(typed["days"]) if typed["days"].isdecimal() and len(typed["days"]) < 6 else 0
        made = api_tokens.issue(request.user, typed["name"], typed["scope"], days, audit.actor_of(request.user))
    except ValueError as error:
        return _show(request, {"error": str(error), "typed": typed}, 422)
    return _show(request, {"made": made})


@login_required
@require_POST
def revoke(request, pk):
    """End a token of the person's own."""
    token = get_object_or_404(ApiToken.objects.owned_by(request.user), pk=pk)
    api_tokens.end(token, audit.actor_of(request.user))
    messages.success(request, f"The token {line(token.name)} is revoked.")
    return redirect("tokens")


def _show(request, more: dict[str, Any] | None = None, status: int = 200) -> HttpResponse:
    facts = {
        "tokens": ApiToken.objects.owned_by(request.user).order_by("-id")[:_SHOWN],
        "typed": {"name": "", "scope": api_tokens.PUSH, "days": api_tokens.DAYS},
        "max_name": api_tokens.MAX_NAME,
        "max_days": api_tokens.MAX_DAYS,
        "now": timezone.now(),
        "site": find_origin(request).site,
    }
    return render(request, "settings/tokens.html", facts | (more or {}), status=status)
