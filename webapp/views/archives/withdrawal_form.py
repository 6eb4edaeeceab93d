"""Withdrawal of a file or measurement with a reason, and its undoing, by the owner. GET: confirmation; POST: the action."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.db.models import Q
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from webapp.accounts import audit
from webapp.files.addresses import line_address
from webapp.models import Measurement, Withdrawal
from webapp.storage import withdrawals
from webapp.views.archives.archive_page import get_archive_file
from webapp.views.archives.review_form import get_own_archive

_MEANING = (
    "It leaves every comparison, summary and export. The page of its line says so, with your reason. You can undo "
    "this. Permalinks that were frozen with it stay as they are."
)
_NO_REASON = "Give a reason, in one sentence."
_CHANGED = "The archive was read again since you were asked, and this is another value now. Withdraw it only if you mean this one."


def _reason_page(request, archive, question: str, back: str):
    """The page that asks for the reason; None where the request has one."""
    reason = request.POST.get("reason", "").strip()
    if request.method == "POST" and reason:
        return None
    return _render_question(request, archive, question, back, error=_NO_REASON if request.method == "POST" else "")


def _render_question(request, archive, question: str, back: str, *, error: str = "", shown: str = "", status: int = 200):
    """The page that asks for the reason. `shown`: the fingerprint of the value that it asks about."""
    return render(
        request,
        "archives/sure.html",
        {
            "archive": archive,
            "action": "withdraw",
            "question": question,
            "meaning": _MEANING,
            "button": "Withdraw",
            "back": back,
            "error": error,
            "shown": shown,
            "reason": request.POST.get("reason", "").strip(),
        },
        status=status,
    )


def _perform(request, archive, action: str, place: str, do) -> None:
    """Call `do` with the reason and write the audit log, in one transaction."""
    reason = request.POST.get("reason", "").strip()
    with transaction.atomic():
        do(reason)
        audit.record(action, audit.actor_of(request.user), archive, about=place, reason=reason)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def withdraw_file(request, pk, path=None):
    """Without a path, `?name=` identifies the file, see `webapp.files.addresses`."""
    archive = get_own_archive(request, pk)
    file = get_archive_file(archive, path, request.GET.get("name", ""))
    path = file.path
    back = line_address(archive.pk, path, None)
    page = _reason_page(request, archive, f"Withdraw every value of {path}?", back)
    if page is None:
        _perform(
            request,
            archive,
            "withdraw",
            path,
            lambda reason: withdrawals.withdraw_file(archive.pk, file.path, reason, request.user),
        )
        messages.success(request, f"{path} is withdrawn.")
    return page or redirect(back)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def withdraw_measurement(request, pk, measurement):
    """The form has the fingerprint of the value that it asks about; where that is another one by now, it asks again (409)."""
    archive = get_own_archive(request, pk)
    value = _get_value(archive, measurement)
    error, status = _NO_REASON if request.method == "POST" else "", 200
    if request.POST.get("reason", "").strip():
        try:
            return _withdraw(request, archive, value)
        except (withdrawals.ChangedValueError, Measurement.DoesNotExist):
            error, status, value = _CHANGED, 409, _get_value(archive, measurement)
    question = f"Withdraw {value.native} {value.printed} of {value.run.file.path}:{value.line}?"
    back = line_address(archive.pk, value.run.file.path, value.line)
    return _render_question(request, archive, question, back, error=error, shown=withdrawals.fingerprint(value), status=status)


def _get_value(archive, measurement: int) -> Measurement:
    """Raises Http404."""
    value = Measurement.objects.select_related("metric", "run__file").filter(pk=measurement).first()
    if value is None or value.run.archive_id != archive.pk:
        raise Http404("This archive has no such measurement.")
    return value


def _withdraw(request, archive, value: Measurement):
    """Raises ChangedValueError."""
    shown = request.POST.get("shown", "")
    _perform(
        request,
        archive,
        "withdraw",
        f"{value.run.file.path}:{value.line} {value.native} {value.printed}",
        lambda reason: withdrawals.withdraw_measurement(archive.pk, value.pk, reason, request.user, shown),
    )
    messages.success(request, f"{value.native} {value.printed} is withdrawn.")
    return redirect(line_address(archive.pk, value.run.file.path, value.line))


@login_required
@require_POST
def restore(request, pk, withdrawal):
    archive = get_own_archive(request, pk)
    made = get_object_or_404(archive.withdrawals, pk=withdrawal)
    place = f"{made.path}:{made.line} {made.native} {made.raw}" if made.line else made.path
    _perform(request, archive, "unwithdraw", place, lambda _: withdrawals.undo_withdrawal(made.pk, request.user))
    messages.success(request, f"{made.native or made.path} is in comparisons again.")
    return redirect("archive", pk=archive.pk)


def mark_withdrawn(values: list[Measurement], archive, path: str) -> None:
    """Set `withdrawn` of each value: the active withdrawal that covers it, or None. One query."""
    what = Withdrawal.What
    active = archive.withdrawals.active().filter(
        Q(what=what.FILE, path=path) | Q(what=what.MEASUREMENT, first__in=[value.pk for value in values])
    )
    of_files = [withdrawal for withdrawal in active if withdrawal.what == what.FILE]
    single = {withdrawal.first: withdrawal for withdrawal in active if withdrawal.what == what.MEASUREMENT}
    for value in values:
        value.withdrawn = single.get(value.pk) or next(
            (withdrawal for withdrawal in of_files if withdrawal.first <= value.pk < withdrawal.beyond), None
        )
