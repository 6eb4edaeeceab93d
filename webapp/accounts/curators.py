"""Curators: accounts that may accept public archives of other accounts for front pages."""

from __future__ import annotations

from django.contrib.auth.models import Permission
from django.db import transaction
from django.db.models import QuerySet

from webapp.accounts import access, audit


def set_curator(user, is_curator: bool, actor: audit.Actor) -> bool:
    """Make the account a curator, or end that. False where nothing changes. One entry in the audit log."""
    with transaction.atomic():
        if permissions_of(user.pk).exists() == is_curator:
            return False
        change = user.user_permissions.add if is_curator else user.user_permissions.remove
        change(_accept_permissions().get())
        audit.record("add-curator" if is_curator else "remove-curator", actor, about=user.get_username())
    return True


def permissions_of(user_id) -> QuerySet[Permission]:
    """The permission of curators where this account has it itself; `user_id` may be an OuterRef."""
    return _accept_permissions().filter(user=user_id)


def _accept_permissions() -> QuerySet[Permission]:
    app, codename = access.ACCEPT_ARCHIVE.split(".")
    return Permission.objects.filter(content_type__app_label=app, codename=codename)
