"""The exceptions of `ingest`.

IngestError               anything that `ingest` refuses; its text is a sentence for the user
|-- UnreadableInput       the path does not exist or cannot be opened
`-- UnsafeArchive         the archive breaks a limit or tries to leave its folder
    |-- TooLarge          size, ratio or count over the limit
    `-- BrokenArchive     the container itself is damaged
        `-- Damaged       a compressed stream ends too early or cannot be decoded from some offset on

OverLimit                 raised by the caller's guard of a file (`ingest.read`); the file is reported, the others are read
"""


class IngestError(Exception):
    """Base class; `place`: the path inside the archive, or None."""

    def __init__(self, message: str, place: str | None = None):
        super().__init__(message)
        self.place = place


class UnreadableInput(IngestError):
    """The path does not exist or cannot be opened."""


class UnsafeArchive(IngestError):
    """The archive breaks a limit or tries to leave its folder."""


class TooLarge(UnsafeArchive):
    """Size, ratio, count, depth or path length over the limit."""


class BrokenArchive(UnsafeArchive):
    """The container itself is damaged."""


class Damaged(BrokenArchive):
    """A compressed stream ends too early, or cannot be decoded from some offset on."""


class OverLimit(BaseException):
    """Reading one file took more than its caller allows; the text says more than what, without a full stop.

    Not an Exception: a parser's own handling of damaged data must not catch it.
    """
