"""The audit log: every action that changes the visibility of an archive. Entries are only added."""

from __future__ import annotations

import getpass
import os
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from webapp.accounts import public_log
from webapp.models import Archive, AuditEntry

_TITLE, _REASON = 300, 2000  # characters that are stored


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: a signed-in user; `user` is None on the command line."""

    name: str
    user: Any = None

    @property
    def by(self) -> str:
        """As the log shows it: `ann`, `command line (root)`."""
        return make_entry("", self).by


def actor_of(user) -> Actor:
    return Actor(user.get_username(), user)


def command_line_actor() -> Actor:
    """The account that runs a command: its name in the operating system, or its number."""
    try:
        return Actor(getpass.getuser())
    except (KeyError, OSError, ImportError):
        return Actor(f"uid {os.getuid()}")


def make_entry(
    action: str, actor: Actor, archive: Archive | None = None, *, sha256: str = "", about: str = "", reason: str = ""
) -> AuditEntry:
    """The entry of an action, not saved."""
    entry = AuditEntry(
        action=action,
        who=actor.name,
        via=AuditEntry.Via.COMMAND_LINE if actor.user is None else AuditEntry.Via.WEB,
        sha256=sha256,
        about=about,
        reason=reason[:_REASON],
    )
    if archive is not None:
        entry.archive, entry.title, entry.sha256 = archive.pk, str(archive)[:_TITLE], archive.sha256
        entry.owner = archive.owner.get_username()
    return entry


def person_filter(words: str) -> Q:
    """The condition for entries by an account, about one, about archives of one, or about bytes by their SHA-256."""
    return Q(who=words) | Q(about=words) | Q(owner=words) | Q(sha256=words.lower())


def record(action: str, actor: Actor, archive: Archive | None = None, **details: str) -> None:
    """Add an entry, in the transaction of the action, and one to the public log where readers have to know of it. `details` as
    for `make_entry`."""
    make_entry(action, actor, archive, **details).save(force_insert=True)
    if archive is not None:
        public_log.log_action(action, archive, details.get("about", ""), details.get("reason", ""))
