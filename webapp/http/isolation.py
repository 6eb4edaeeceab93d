"""A part of a page that fails is left out of it with a note in its place, and does not take the rest of the page with it.

Each failure is logged with its traceback and counted in `FAILURE_COUNTS`, by the kind of part, for this process.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from django.db import DatabaseError, connection, transaction

log = logging.getLogger(__name__)
FAILURE_COUNTS: Counter[str] = Counter()
FAILURE_NOTE = "One entry cannot be shown: a fault of ours, which is logged."
_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


def log_failure(kind: str, which: object) -> None:
    """Log and count the part whose exception is being handled. `which` tells it from others of its kind."""
    FAILURE_COUNTS[kind] += 1
    log.exception("%s %.200r is left out of the page", kind, which)


def map_isolated(
    kind: str,
    items: Iterable[_Item],
    make: Callable[[_Item], _Made],
    instead: Callable[[_Item], _Made] | None = None,
    which: Callable[[_Item], object] = repr,
) -> list[_Made]:
    """`make(item)` of each item; where that raises, `instead(item)`, or nothing where there is no `instead`."""
    made = []
    for item in items:
        try:
            made.append(make(item))
        except Exception as error:
            if is_transaction_broken(error):
                raise
            log_failure(kind, which(item))
            if instead is not None:
                made.append(instead(item))
    return made


def run_isolated(kind: str, which: object, make: Callable[[], _Made], instead: Callable[[], _Made]) -> _Made:
    """`make()`; where that raises, `instead()`."""
    [made] = map_isolated(kind, [which], lambda _: make(), lambda _: instead())
    return made


def find_working(kind: str, items: Sequence[_Item], attempt: Callable[[Sequence[_Item]], object], most: int = 200) -> list[_Item]:
    """Those of the items with which `attempt` goes well, found by halves; what `most` attempts did not tell apart is left out."""
    tries = 0

    def good(some: Sequence[_Item]) -> list[_Item]:
        nonlocal tries
        tries += 1
        try:
            attempt(some)
        except Exception as error:
            if is_transaction_broken(error):
                raise
            if len(some) == 1 or tries > most:
                log_failure(kind, some)
                return []
        else:
            return list(some)
        half = len(some) // 2
        return good(some[:half]) + good(some[half:])

    return good(items) if items else []


def is_transaction_broken(error: Exception) -> bool:
    """Whether the transaction is of no more use: whoever began it has to end it."""
    return isinstance(error, DatabaseError | transaction.TransactionManagementError) and connection.in_atomic_block
