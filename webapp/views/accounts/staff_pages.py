"""The pages of staff: every archive, accounts, blocks, the audit log. 404 for everybody else."""

from __future__ import annotations

from functools import wraps
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.db.models import Count, Exists, IntegerField, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from webapp.accounts import access, audit, blocklist
from webapp.archives import lifecycle, list_queries
from webapp.formatting import numbers
from webapp.http.pagination import paginate
from webapp.models import Archive, AuditEntry, Block

_AT_ONCE = 200
"""Limit of archives made private by a request: each takes a transaction."""
_REASON = 2000  # characters


def staff_only(view):
    """Decorator: 404 for users who are not staff; the response is never cached."""

    @wraps(view)
    def page(request, *args, **kwargs):
        if not access.is_staff(request.user):
            raise Http404("There is no such page.")
        return view(request, *args, **kwargs)

    return never_cache(page)


@require_safe
@staff_only
def home(request):
    return redirect("staff-archives")


def _further(request, mark: str | None, *names: str) -> str:
    """The query string of the next page with the current filters; '' on the last page."""
    kept = {name: request.GET[name] for name in names if request.GET.get(name)}
    return urlencode(kept | {"after": mark}) if mark else ""


@require_safe
@staff_only
def archives(request):
    """Newest first, by `?state=` and `?q=`."""
    state, words = request.GET.get("state", ""), request.GET.get("q", "")[:200]
    rows, mark = paginate(list_queries.find_archives(state, words), request.GET.get("after"), ("id",))
    now = timezone.now()
    for row in rows:
        row.age = numbers.age((now - row.uploaded_at).days)
    return render(
        request,
        "staff/archives.html",
        {
            "archives": rows,
            "state": state,
            "q": words,
            "states": list_queries.STATES,
            "further": _further(request, mark, "state", "q"),
        },
    )


def _number_of(query) -> Coalesce:
    """Subquery: the number of archives in `query` owned by the outer account."""
    counted = query.owned_by(OuterRef("pk")).order_by().values("owner").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


@require_safe
@staff_only
def users(request):
    """Accounts by name, with their numbers of archives and their block."""
    words = request.GET.get("q", "").replace("\0", "").strip()[:200]
    known = get_user_model().objects.filter(username__icontains=words) if words else get_user_model().objects.all()
    rows, mark = paginate(
        known.select_related("block").annotate(
            archives_all=_number_of(Archive.objects),
            archives_public=_number_of(Archive.objects.public()),
            is_curator=Exists(access.permissions_of(OuterRef("pk"))),
        ),
        request.GET.get("after"),
        ("username",),
        rising=True,
    )
    for row in rows:
        row.blocked = getattr(row, "block", None)
    return render(request, "staff/users.html", {"users": rows, "q": words, "further": _further(request, mark, "q")})


@require_safe
@staff_only
def blocks(request):
    """Blocked digests; blocked accounts are in the list of users."""
    rows, mark = paginate(Block.objects.filter(user=None), request.GET.get("after"), ("id",))
    return render(request, "staff/blocks.html", {"blocks": rows, "further": _further(request, mark)})


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def block(request):
    """GET: confirmation; POST with a reason: block the account or digest `what`."""
    text = request.POST.get("what") or request.GET.get("what") or ""
    reason = request.POST.get("reason", "").replace("\0", "").strip()[:_REASON]
    try:
        what = blocklist.parse_target(text)
    except blocklist.UnknownTarget as unknown:
        messages.error(request, str(unknown))
        return redirect("staff-blocks")
    if what == request.user:
        messages.error(request, "You cannot block your own account.")
        return redirect("staff-users")
    if request.method == "POST" and reason:
        return _block(request, what, reason)
    digest = what if isinstance(what, str) else ""
    held = Archive.objects.filter(sha256=digest) if digest else Archive.objects.owned_by(what)
    return render(
        request,
        "staff/block.html",
        {
            "what": text,
            "digest": digest,
            "account": None if digest else what,
            "known": blocklist.find_block(what),
            "all": held.count(),
            "public": held.public().count(),
            "held": held.order_by("pk")[:20] if digest else (),
            "error": "Give a reason, in one sentence." if request.method == "POST" else "",
        },
    )


def _block(request, what, reason: str):
    actor = audit.actor_of(request.user)
    if not isinstance(what, str):
        new = lifecycle.block_user(what, reason, actor)
        messages.success(request, f"{what.get_username()} is blocked." if new else f"{what.get_username()} was already blocked.")
        return redirect(f"{reverse('staff-users')}?{urlencode({'q': what.get_username()})}")
    new, hidden = lifecycle.block_bytes(what, reason, actor)
    private = f" {hidden} archive{'' if hidden == 1 else 's'} became private." if hidden else ""
    messages.success(request, f"The upload {what[:12]}… is blocked.{private}" if new else "This upload was already blocked.")
    return redirect("staff-blocks")


@require_POST
@staff_only
def unblock(request):
    """Remove the block of `what`."""
    try:
        held = blocklist.find_block(blocklist.parse_target(request.POST.get("what", "")))
    except blocklist.UnknownTarget as unknown:
        raise Http404(str(unknown)) from unknown
    if held is None:
        messages.info(request, "It is not blocked.")
        return redirect("staff-blocks")
    lifecycle.remove_block(held, audit.actor_of(request.user))
    name = held.user.get_username() if held.user else f"The upload {(held.sha256 or '')[:12]}…"
    messages.success(request, f"{name}: the block is removed.")
    return redirect("staff-users" if held.user else "staff-blocks")


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def unpublish_all(request, pk):
    """GET: confirmation; POST: make at most _AT_ONCE public archives of an account private."""
    account = get_object_or_404(get_user_model(), pk=pk)
    public = Archive.objects.public().owned_by(account).order_by("pk")
    if request.method != "POST":
        return render(request, "staff/unpublish_all.html", {"account": account, "public": public.count(), "at_once": _AT_ONCE})
    reason = request.POST.get("reason", "").replace("\0", "").strip()[:_REASON]
    actor, chosen = audit.actor_of(request.user), list(public.values_list("pk", flat=True)[:_AT_ONCE])
    done = sum(lifecycle.perform_action(number, "unpublish", actor, reason) for number in chosen)
    left = public.count()
    messages.success(
        request,
        f"{done} archive{'' if done == 1 else 's'} of {account.get_username()} became private."
        + (f" {left} are still public." if left else ""),
    )
    return redirect("staff-unpublish-all" if left else "staff-users", *([pk] if left else []))


@require_safe
@staff_only
def log(request):
    """The audit log, newest first; `?archive=` filters by archive, `?q=` by a person who acted or was concerned."""
    rows, number = AuditEntry.objects.all(), request.GET.get("archive", "")
    words = request.GET.get("q", "").replace("\0", "").strip()[:200]
    if number.isascii() and number.isdigit() and len(number) < 18:
        rows = rows.filter(archive=int(number))
    if words:
        rows = rows.filter(audit.person_filter(words))
    entries, mark = paginate(rows, request.GET.get("after"), ("id",))
    there = set(Archive.objects.filter(pk__in={entry.archive for entry in entries if entry.archive}).values_list("pk", flat=True))
    for entry in entries:
        entry.there = entry.archive in there
    return render(
        request,
        "staff/audit.html",
        {"entries": entries, "archive": number, "q": words, "further": _further(request, mark, "archive", "q")},
    )
