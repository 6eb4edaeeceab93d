"""What can go wrong, each with a sentence for people: what was wrong, and what to do."""

from __future__ import annotations

from collections.abc import Sequence


class PoolmarkError(Exception):
    """Any failure of the client; its text is for people."""


class UsageError(PoolmarkError):
    """Something that was asked for cannot be done as it was written."""


class SiteError(PoolmarkError):
    """A server that cannot be reached, or that answers with an error."""


class Problem(SiteError):
    """An answer of the API with an error (RFC 9457): `status`, `title`, `detail`, and `errors`, pairs of place and sentence."""

    def __init__(self, status: int, title: str, detail: str = "", errors: Sequence[tuple[str, str]] = ()) -> None:
        self.status, self.title, self.detail, self.errors = status, title, detail, tuple(errors)
        said = [sentence(detail or title or f"The server answered {status}")]
        said += [sentence(f"{place}: {what}") for place, what in errors if what != detail]
        super().__init__(" ".join([*said, *([_ADVICE[status]] if status in _ADVICE else [])]))


_ADVICE = {
    401: "`poolmark login` keeps a token, POOLMARK_TOKEN gives one.",
    507: "Ask its operator, or try again later.",
}


def sentence(text: str) -> str:
    """The text with a full stop at its end."""
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else f"{text}."
