"""The audit log: every act of an owner, of staff and of the command line that changes who sees an archive. Only added to."""

from __future__ import annotations

import getpass
import os
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from webapp.models import Archive, AuditEntry

_TITLE, _REASON = 300, 2000  # characters that are kept


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: a signed-in `user`, or None for somebody on the command line."""

    name: str
    user: Any = None

    @property
    def by(self) -> str:
        """As the log shows it: `ann`, `command line (root)`."""
        return entry("", self).by


def actor_of(user) -> Actor:
    return Actor(user.get_username(), user)


def command_line_actor() -> Actor:
    """Whoever runs a command, by the name of the operating system; the number where it has none."""
    try:
        return Actor(getpass.getuser())
    except (KeyError, OSError, ImportError):
        return Actor(f"uid {os.getuid()}")


def entry(
    action: str, actor: Actor, archive: Archive | None = None, *, sha256: str = "", about: str = "", reason: str = ""
) -> AuditEntry:
    """The entry of an act, not saved."""
    made = AuditEntry(
        action=action,
        who=actor.name,
        via=AuditEntry.Via.COMMAND_LINE if actor.user is None else AuditEntry.Via.WEB,
        sha256=sha256,
        about=about,
        reason=reason[:_REASON],
    )
    if archive is not None:
        made.archive, made.title, made.sha256 = archive.pk, str(archive)[:_TITLE], archive.sha256
        made.owner = archive.owner.get_username()
    return made


def person_filter(words: str) -> Q:
    """The condition for entries by an account, about one, about archives of one, or about bytes by their SHA-256."""
    return Q(who=words) | Q(about=words) | Q(owner=words) | Q(sha256=words.lower())


def record(action: str, actor: Actor, archive: Archive | None = None, **told: str) -> None:
    """Add an entry, in the transaction of the act. `told` as for `entry`."""
    entry(action, actor, archive, **told).save(force_insert=True)
