"""What only the owner of an archive may do: publish, unpublish, withdraw, delete, read again. POST, and asked twice."""
from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from webapp import receiving, storing
from webapp.models import Archive
from webapp.tasks import ingest_archive

QUESTIONS = {
    "publish": ("Publish this archive?", "Everybody will see it, and its measurements enter the public comparisons.",
                "Publish"),
    "unpublish": ("Make this archive private again?", "It leaves the public comparisons and only you see it. "
                  "Permalinks that were frozen with it stay as they are.", "Unpublish"),
    "withdraw": ("Withdraw this archive?", "Its measurements leave every comparison. Its page stays, with your "
                 "reason, so that whoever cited it learns why. You can take it back.", "Withdraw"),
    "delete": ("Delete this archive?", "Its rows and its bytes are deleted. Permalinks that were frozen with it stay "
               "as they are. This cannot be undone.", "Delete"),
    "unwithdraw": ("Take the withdrawal back?", "Its measurements enter the comparisons again. That it was withdrawn, and "
                   "why, stays in its history.", "Take back"),
    "reread": ("Read this archive again?", "The stored bytes are read anew with the parsers of today, and what is "
               "found replaces what is here.", "Read again"),
}
ACTIONS = tuple(QUESTIONS)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def act(request, pk, action):
    """GET asks; POST with `sure` does it. One click suffices to publish and to read again."""
    archive = get_object_or_404(Archive, pk=pk, owner=request.user)
    reason = request.POST.get("reason", "").strip()
    sure = request.method == "POST" and (action in ("publish", "reread", "unwithdraw") or request.POST.get("sure"))
    if not sure or (action == "withdraw" and not reason):
        question, meaning, button = QUESTIONS[action]
        return render(request, "archives/sure.html", {
            "archive": archive, "action": action, "question": question, "meaning": meaning, "button": button,
            "error": "Say why, in a sentence." if sure else ""})
    DO[action](archive, reason, request.user)
    messages.success(request, DONE[action].format(archive=archive))
    return redirect("archives") if action == "delete" else redirect("archive", pk=archive.pk)


def _reread(archive: Archive, _reason: str, _by) -> None:
    """The state is the order; where the broker does not answer, the reconciler sends the task."""
    changed = Archive.objects.filter(pk=archive.pk).exclude(state=Archive.State.READING).update(
        state=Archive.State.RECEIVED, attempts=0, failure="")
    if changed:
        transaction.on_commit(lambda: ingest_archive.delay(archive.pk), robust=True)


DO = {
    "publish": lambda archive, _reason, _by: storing.publish(archive.pk),
    "unpublish": lambda archive, _reason, _by: storing.unpublish(archive.pk),
    "withdraw": lambda archive, reason, by: storing.withdraw(archive.pk, reason, by),
    "unwithdraw": lambda archive, _reason, by: storing.restore(archive.pk, by),
    "delete": lambda archive, _reason, _by: receiving.delete(archive),
    "reread": _reread,
}
DONE = {
    "publish": "{archive} is public.",
    "unpublish": "{archive} is yours alone.",
    "withdraw": "{archive} is withdrawn.",
    "unwithdraw": "{archive} takes part in comparisons again.",
    "delete": "{archive} is deleted.",
    "reread": "{archive} is being read again.",
}
