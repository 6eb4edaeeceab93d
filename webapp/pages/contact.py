"""Who runs this instance and takes something down: the setting POOLMARK_CONTACT, for templates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote

from django.conf import settings


@dataclass(frozen=True, slots=True)
class Contact:
    """What is shown, and the address that it links to, '' for plain words."""

    text: str
    address: str


def read_contact() -> Contact | None:
    """The contact of this instance, None where none is set."""
    text = settings.POOLMARK_CONTACT
    if not text:
        return None
    if re.fullmatch(r"https?://\S+", text):
        return Contact(text, text)
    if re.fullmatch(r"[^\s@<>]+@[^\s@<>]+", text):
        return Contact(text, f"mailto:{quote(text, safe='@+')}")
    return Contact(text, "")


def contact(request) -> dict[str, Contact | None]:
    """For every template."""
    return {"contact": read_contact()}
