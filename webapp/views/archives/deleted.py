"""The archive of an address; where it was deleted, its owner and staff learn when."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import Http404

from webapp.accounts import access
from webapp.models import Archive, AuditEntry


def get_archive(request, pk: int, archives: QuerySet) -> Archive:
    """The archive. Raises Http404, which names the day of the deletion for those who could see it in any state."""
    archive = archives.filter(pk=pk).first()
    if archive is None:
        raise Http404(describe_missing(request.user, pk))
    return archive


def describe_missing(user, pk: int) -> str:
    """When the archive was deleted, for its former owner and staff; '' for others and where there was none. One query, none for
    readers without an account."""
    if not user.is_authenticated:
        return ""
    entry = AuditEntry.objects.filter(archive=pk, action="delete").order_by("-id").first()
    if entry is None or not access.may_learn_of_deletion(user, entry):
        return ""
    by = "" if entry.who == user.get_username() else f" by {entry.by}"
    when = f"{entry.at:%-d %B %Y, %H:%M} UTC"
    return f"“{entry.title}” was deleted on {when}{by}. Its files and measurements are gone; permalinks stay."
