"""Rows of one query in SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection


def fetch_rows(query: str, args: Sequence[Any] | Mapping[str, Any] | None = None) -> list[Any]:
    """All rows."""
    with connection.cursor() as cursor:
        cursor.execute(query, args)
        return cursor.fetchall()


def fetch_row(query: str, args: Sequence[Any] | Mapping[str, Any] | None = None) -> Any:
    """The first row; None where there is none."""
    with connection.cursor() as cursor:
        cursor.execute(query, args)
        return cursor.fetchone()
