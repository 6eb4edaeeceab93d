"""Who may do what with an archive: one table for the pages, the forms and the addresses behind them."""

from __future__ import annotations

from webapp.models import Archive, Withdrawal

OWNER, STAFF = "owner", "staff"
MAY = {
    "look": {OWNER, STAFF},  # where everybody may not: private, withdrawn, failed, not read yet
    "state": {OWNER},
    "publish": {OWNER},
    "unpublish": {OWNER, STAFF},
    "withdraw": {OWNER, STAFF},
    "unwithdraw": {OWNER, STAFF},  # what staff withdrew, staff alone
    "delete": {OWNER, STAFF},
    "reread": {OWNER},
}
"""Action -> roles that may do it. Publishing and stating are the owner's word, which nobody else gives."""


def is_staff(user) -> bool:
    return user.is_authenticated and user.is_active and user.is_staff


def roles(user, archive: Archive) -> set[str]:
    """What the user is to the archive: its owner, staff, both or neither."""
    owner = {OWNER} if user.is_authenticated and archive.owner_id == user.pk else set()
    return owner | ({STAFF} if is_staff(user) else set())


def may(user, archive: Archive, action: str) -> bool:
    """Whether the user may do it. One query where an owner wants to take a withdrawal back."""
    allowed = MAY[action] & roles(user, archive)
    if action == "unwithdraw" and allowed == {OWNER}:
        return not withdrawn_by_staff(archive)
    return bool(allowed)


def withdrawn_by_staff(archive: Archive) -> bool:
    """Whether it is withdrawn as a whole by somebody else than its owner."""
    held = archive.withdrawals.holding().filter(what=Withdrawal.What.ARCHIVE)
    return any(one.made_by_id != archive.owner_id for one in held)


def shown_to(user):
    """Archives that have a page for the user: public ones, tombstones, the user's own; every one for staff."""
    return Archive.objects.all() if is_staff(user) else Archive.objects.visible_to(user)


def read_by(user):
    """Archives whose contents the user may look at. What enters the user's comparisons is narrower: `scopes_of`."""
    return Archive.objects.all() if is_staff(user) else Archive.objects.readable_by(user)
