"""Pages under /settings: the tokens of a person for the API, made, listed, revoked; and the webhooks, with their deliveries."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from webapp.accounts import api_tokens, audit
from webapp.formatting.numbers import line
from webapp.jobs import hooks
from webapp.jobs.tasks import deliver_webhook
from webapp.models import ApiToken, Webhook
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


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def webhooks(request):
    """The list, and the form. POST makes a webhook, whose secret this answer alone shows; 422 where it cannot."""
    if request.method != "POST":
        return _show_webhooks(request)
    url, events = request.POST.get("url", "").strip(), request.POST.getlist("event")
    try:
        made = hooks.make(request.user.pk, url, events)
    except ValueError as error:
        return _show_webhooks(request, {"error": str(error), "url": url, "chosen": events}, 422)
    return _show_webhooks(request, {"made": made})


def _show_webhooks(request, more: dict[str, Any] | None = None, status: int = 200) -> HttpResponse:
    facts = {
        "webhooks": Webhook.objects.owned_by(request.user).order_by("-id"),
        "events": hooks.EVENTS.items(),
        "chosen": list(hooks.EVENTS),
        "most_letters": hooks.MOST_LETTERS,
    }
    return render(request, "settings/webhooks.html", facts | (more or {}), status=status)


@never_cache
@login_required
@require_safe
def webhook(request, pk):
    """One webhook of the person's own, with its latest deliveries."""
    hook = _find_webhook(request, pk)
    return render(request, "settings/webhook.html", {"hook": hook, "deliveries": hooks.latest(hook), "days": hooks.KEPT.days})


@login_required
@require_POST
def webhook_test(request, pk):
    """Send an event that says nothing."""
    hook = _find_webhook(request, pk)
    try:
        hooks.add_test(hook)
    except ValueError as error:
        messages.error(request, str(error))
    else:
        transaction.on_commit(lambda: deliver_webhook.delay(hook.pk), robust=True)
        messages.success(request, "A test is on its way: load this page again to see the answer.")
    return redirect("webhook", hook.pk)


@login_required
@require_POST
def webhook_on(request, pk):
    """Switch a webhook on again."""
    hook = _find_webhook(request, pk)
    hooks.switch_on(hook)
    messages.success(request, "The webhook is on. It gets what was not delivered, then what happens.")
    return redirect("webhook", hook.pk)


@login_required
@require_POST
def webhook_delete(request, pk):
    """Delete a webhook and the list of its deliveries."""
    hook = _find_webhook(request, pk)
    hook.delete()
    messages.success(request, f"The webhook {line(hook.url)} is deleted.")
    return redirect("webhooks")


def _find_webhook(request, pk: int) -> Webhook:
    return get_object_or_404(Webhook.objects.owned_by(request.user), pk=pk)
