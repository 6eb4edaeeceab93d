"""Who may see what, and do what with it: one table for the pages, the forms and the addresses behind them.

Filters of whole tables are methods of the models' QuerySets. What is frozen (permalinks, collections) everybody sees.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.conf import settings
from django.contrib.auth.models import Permission
from django.db import transaction
from django.db.models import QuerySet

from webapp.accounts import audit
from webapp.models import Archive, AuditEntry, Collection, Permalink, Withdrawal
from webapp.models.archive import PRIVATE

# Curators: accounts that may accept public archives of other accounts for front pages.


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
    app, codename = ACCEPT_ARCHIVE.split(".")
    return Permission.objects.filter(content_type__app_label=app, codename=codename)


OWNER, STAFF, CURATOR = "owner", "staff", "curator"
ROLES_BY_ACTION = {
    "look": {OWNER, STAFF},  # at archives that are not public: private, withdrawn, failed, not read yet
    "state": {OWNER},
    "publish": {OWNER},
    "unpublish": {OWNER, STAFF},
    "withdraw": {OWNER, STAFF},
    "unwithdraw": {OWNER, STAFF},  # what staff has withdrawn, staff alone
    "delete": {OWNER, STAFF},
    "reread": {OWNER},
    "accept": {STAFF, CURATOR},  # for front pages: an operator or a second person
    "revoke-acceptance": {STAFF, CURATOR},
}
"""Action -> roles that may do it. Publishing and stating are the owner's alone.

A curator is an account with the permission `ACCEPT_ARCHIVE`, for public archives of other accounts.
"""
ACCEPT_ARCHIVE = "webapp.accept_archive"
"""Django's permission of curators; `manage.py curator` gives it."""


def is_staff(user) -> bool:
    return user.is_authenticated and user.is_active and user.is_staff


def may_see_state(user) -> bool:
    """Whether /status and /metrics are open to this reader."""
    return settings.POOLMARK_STATUS != "staff" or is_staff(user)


def owns(user, thing: Archive | Permalink | Collection) -> bool:
    """Whether the user has uploaded or frozen it."""
    return user.is_authenticated and thing.owner_id == user.pk


def roles_of(user, archive: Archive) -> set[str]:
    """The roles of the user for the archive: OWNER, STAFF, both or none."""
    return ({OWNER} if owns(user, archive) else set()) | ({STAFF} if is_staff(user) else set())


def is_curator(user, archive: Archive) -> bool:
    """Whether the user may accept the archive as a second person. Up to two queries for each user, cached on the object."""
    return user.is_authenticated and archive.is_public and not owns(user, archive) and user.has_perm(ACCEPT_ARCHIVE)


def is_only_staff(user, archive: Archive) -> bool:
    """Whether the user is staff and not the owner of the archive."""
    return roles_of(user, archive) == {STAFF}


def is_shown_as_staff(user, archive: Archive) -> bool:
    """Whether the user sees its contents as staff alone: it belongs to another account and is not public."""
    return is_only_staff(user, archive) and not archive.is_public


def may(user, archive: Archive, action: str) -> bool:
    """Whether the user may perform the action. One query where an owner wants to undo a withdrawal."""
    if action == "unwithdraw" and roles_of(user, archive) == {OWNER}:
        return not withdrawn_by_staff(archive)
    return is_role_permitted(user, archive, action)


def is_role_permitted(user, archive: Archive, action: str) -> bool:
    """Whether one of the user's roles permits the action, regardless of who has withdrawn the archive (see `may`)."""
    roles = ROLES_BY_ACTION[action]
    return bool(roles & roles_of(user, archive)) or (CURATOR in roles and is_curator(user, archive))


def is_publishable(archive: Archive) -> bool:
    """Whether it is neither public nor withdrawn."""
    return archive.is_private


def may_learn_of_deletion(user, entry: AuditEntry) -> bool:
    """Whether the user may learn what became of a deleted archive, by the entry of its deletion: its owner, and staff."""
    return user.is_authenticated and (entry.owner == user.get_username() or is_staff(user))


def may_restore(user, archive: Archive) -> bool:
    """Whether the archive is withdrawn and the user may undo that."""
    return archive.is_withdrawn and may(user, archive, "unwithdraw")


def may_accept(user, archive: Archive) -> bool:
    """Whether the archive is public, read and not accepted, and the user may accept it for front pages."""
    is_open = archive.is_public and archive.read_at is not None
    return is_open and not archive.is_accepted and may(user, archive, "accept")


def may_revoke_acceptance(user, archive: Archive) -> bool:
    """Whether the archive is accepted and the user may undo that."""
    return archive.is_accepted and may(user, archive, "revoke-acceptance")


def may_read(user, archive: Archive) -> bool:
    """Whether the user may look at its contents: public ones, the user's own; all of them for staff. As `inspectable_archives`."""
    return archive.is_public or may(user, archive, "look")


def may_compare(user, archive: Archive) -> bool:
    """Whether its values may enter the user's comparisons: public ones, the user's own. As `ArchiveQuerySet.readable_by`."""
    return archive.is_public or owns(user, archive)


def is_compared_by_default(user, archive: Archive) -> bool:
    """Whether its values enter the user's comparisons by default, besides the public ones: own private ones, as `scopes_of`."""
    return archive.is_private and owns(user, archive)


def sees_tombstone(user, archive: Archive) -> bool:
    """Whether the archive is withdrawn, and the user sees of it only that, and why."""
    return archive.is_withdrawn and not may(user, archive, "look")


def withdrawn_by_staff(archive: Archive) -> bool:
    """Whether it is withdrawn as a whole by another account than its owner's."""
    in_force = archive.withdrawals.active().filter(what=Withdrawal.What.ARCHIVE)
    return any(withdrawal.made_by_id != archive.owner_id for withdrawal in in_force)


def visible_archives(user):
    """Archives that have a page for the user: public ones, tombstones, the user's own; every one for staff."""
    return Archive.objects.all() if is_staff(user) else Archive.objects.visible_to(user)


def inspectable_archives(user):
    """Archives whose contents the user may look at. What enters the user's comparisons is narrower: `scopes_of`."""
    return Archive.objects.all() if is_staff(user) else Archive.objects.readable_by(user)


def find_comparison_archives(user, named: Iterable[int], studies: Sequence[str], newest: int) -> list[Archive]:
    """Archives that a comparison concerns, tombstones too, the newest first: those named, those of the studies, the user's own
    private ones and the `newest` of the user's own. One query."""
    seen = Archive.objects.visible_to(user)
    queries = [seen.filter(pk__in=named)]
    if studies:
        queries.append(seen.filter(study__in=studies).exclude(study=""))
    if user.is_authenticated:
        own = Archive.objects.owned_by(user)
        queries += [own.filter(PRIVATE), own.filter(withdrawn_at=None).order_by("-uploaded_at", "-pk")[:newest]]
    # Each has an index; one query with all conditions would scan every archive.
    return list(queries[0].union(*queries[1:]).order_by("-id"))


def reader_ids(user) -> list[int]:
    """Values of `SystemCount.seen_by` for the user: 0 (everybody), and the user's id."""
    return [0, user.pk] if user.is_authenticated else [0]
