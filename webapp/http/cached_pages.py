"""Pages in Django's cache. A cache that does not answer has no page, and is left alone for some seconds."""

from __future__ import annotations

import logging
import time

from django.conf import settings
from django.core.cache import cache

log = logging.getLogger(__name__)

CACHE_SECONDS = 3600
RETRY_SECONDS = 5.0
"""Seconds after an error during which the cache is not asked, so that readers do not wait for its timeout."""
_retry_at = 0.0
Page = tuple[bytes, dict[str, str]]
"""Body and headers."""


def find_page(key: str) -> Page | None:
    """The page of that key; None where the cache has none, does not answer, or is switched off."""
    if not _is_asked():
        return None
    try:
        return cache.get(key)
    except _errors() as error:
        _leave_alone(error)
        return None


def keep_page(key: str, page: Page) -> None:
    if not _is_asked():
        return
    try:
        cache.set(key, page, CACHE_SECONDS)
    except _errors() as error:
        _leave_alone(error)


def count_up(key: str, seconds: int) -> int:
    """The number of times that the key was counted, which is forgotten after the seconds; 0 where the cache does not answer."""
    if not _is_asked():
        return 0
    try:
        cache.add(key, 0, seconds)
        return cache.incr(key)
    except (ValueError, *_errors()) as error:  # type: ignore[misc]  # ValueError: forgotten between the two
        _leave_alone(error)
        return 0


def _is_asked() -> bool:
    return settings.PAGE_CACHE and time.monotonic() >= _retry_at


def _errors() -> tuple[type[Exception], ...]:
    """What the cache raises where its server fails. Redis is not imported where it is not used."""
    if not settings.REDIS_URL:
        return ()
    from redis import RedisError

    return (RedisError,)


def _leave_alone(error: Exception) -> None:
    global _retry_at
    _retry_at = time.monotonic() + RETRY_SECONDS
    log.warning("the page cache does not answer: %s", error)
