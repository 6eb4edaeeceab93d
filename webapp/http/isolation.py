"""A part of a page that fails is replaced by a note; the rest of the page is shown.

Each failure is logged with its traceback and counted in `FAILURE_COUNTS`, by the kind of part, for this process.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction

log = logging.getLogger(__name__)
FAILURE_COUNTS: Counter[str] = Counter()
FAILURE_NOTE = "One entry cannot be shown because of a bug in Poolmark, which has been logged."
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def log_failure(kind: str, which: object) -> None:
    """Log and count the part whose exception is being handled. `which` identifies it among others of its kind."""
    FAILURE_COUNTS[kind] += 1
    log.exception("%s %.200r is left out of the page", kind, which)


def map_isolated(
    kind: str,
    items: Iterable[_Item],
    make: Callable[[_Item], _Result],
    fallback: Callable[[_Item], _Result] | None = None,
    which: Callable[[_Item], object] = repr,
) -> list[_Result]:
    """`make(item)` of each item; where that raises, `fallback(item)`, or nothing without a `fallback`."""
    results = []
    for item in items:
        try:
            results.append(make(item))
        except Exception as error:
            if is_database_unusable(error):
                raise
            log_failure(kind, which(item))
            if fallback is not None:
                results.append(fallback(item))
    return results


def run_isolated(kind: str, which: object, make: Callable[[], _Result], fallback: Callable[[], _Result]) -> _Result:
    """`make()`; where that raises, `fallback()`."""
    [result] = map_isolated(kind, [which], lambda _: make(), lambda _: fallback())
    return result


def find_working(kind: str, items: Sequence[_Item], attempt: Callable[[Sequence[_Item]], object], most: int = 200) -> list[_Item]:
    """Those of the items with which `attempt` does not raise, found by bisection; after `most` attempts the rest is left out."""
    tries = 0

    def bisect(some: Sequence[_Item]) -> list[_Item]:
        nonlocal tries
        tries += 1
        try:
            attempt(some)
        except Exception as error:
            if is_database_unusable(error):
                raise
            if len(some) == 1 or tries > most:
                log_failure(kind, some)
                return []
        else:
            return list(some)
        half = len(some) // 2
        return bisect(some[:half]) + bisect(some[half:])

    return bisect(items) if items else []


def is_database_unusable(error: Exception) -> bool:
    """Whether nothing further can be asked of the database: it is away, or the open transaction has to be rolled back."""
    if isinstance(error, OperationalError | InterfaceError):
        return True
    return isinstance(error, DatabaseError | transaction.TransactionManagementError) and connection.in_atomic_block
