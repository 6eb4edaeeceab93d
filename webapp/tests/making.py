"""Small archives for tests of the database: records as `ingest` would give them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import count
from typing import Any

from django.contrib.auth import get_user_model

from ingest.records import FileReport, Measurement, Record, Unmeasured, Warning
from webapp.accounts import access, audit
from webapp.models import Archive, Configuration, OperatingSystem, PoolConfiguration, System
from webapp.storage import load

_serial = count(1)


def user(name: str = "ann"):
    return get_user_model().objects.get_or_create(username=name)[0]


def staff(name: str = "root"):
    account = user(name)
    account.is_staff = True
    account.save()
    return account


def curator(name: str = "cleo"):
    """An account that may accept archives of others."""
    account = user(name)
    access.set_curator(account, True, audit.command_line_actor())
    return get_user_model().objects.get(pk=account.pk)  # permissions are cached on the object


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def file_records(
    path: str,
    content: str,
    values: list[float],
    *,
    metric: str = "write.throughput",
    params: dict | None = None,
    config: dict | None = None,
    **other,
) -> Iterator[Record]:
    """One file of `len(values)` runs. The same `content` is the same bytes."""
    config = {"os.family": "Linux", "pool.compression": "lz4"} if config is None else config
    config_from = dict.fromkeys(config, f"{path}:1")
    params = {"file_size": 2**30, "command": "bonnie++ -d /tank"} if params is None else params
    for at, value in enumerate(values, 1):
        facts = {
            "tool": "bonnie++",
            "tool_version": "2.00",
            "native": "Block",
            "unit": "B/s",
            "raw": str(value),
            "raw_unit": "B/s",
            "stat": "sample",
            "duplicate_of": None,
            "origin": "measured",
            "source_note": None,
            "started_at": None,
        } | other
        yield Measurement(
            file=path,
            line=at + 1,
            metric=metric,
            value=value,
            repetition=at,
            params=params,
            config=config,
            config_from=config_from,
            run=at,
            **facts,
        )
    yield Warning(path, 1, "estimated", "Rounded\tfigures.")
    yield FileReport(path, digest(content), "bonnie++", "bonnie", 1, len(values), "parsed", len(content))


def configurations(*numbers: int) -> None:
    """Configurations of which nothing is told, with these ids."""
    system, os, pool = [
        model.objects.get_or_create(digest="nothing")[0].pk for model in (System, OperatingSystem, PoolConfiguration)
    ]
    Configuration.objects.bulk_create(
        Configuration(pk=number, digest=f"{number}", system_id=system, os_id=os, pool_id=pool) for number in numbers
    )


def archive(*, owner: str = "ann", public: bool = False, accepted: bool = False, records=None, name: str = "upload.tar") -> Archive:
    """A row, and what it holds where records are given."""
    serial = next(_serial)
    row = Archive.objects.create(sha256=digest(f"archive {serial}"), name=name, size=1, owner=user(owner))
    if records is not None:
        load.store(row.pk, records)
    if public:
        load.publish(row.pk)
    if accepted:
        load.accept(row.pk, "")
    row.refresh_from_db()
    return row


def unmeasured_record(
    path: str, *, reason: str = "too_fast", bound: float | None = None, side: str | None = None, **other
) -> Unmeasured:
    """A value of the file that could not be measured, on its last line."""
    facts: dict[str, Any] = {
        "line": 99,
        "tool": "bonnie++",
        "tool_version": "2.00",
        "metric": "write.throughput",
        "native": "Block",
        "unit": "B/s",
        "raw": "+++++",
        "stat": "sample",
        "repetition": 1,
        "duplicate_of": None,
        "params": {"file_size": 2**30, "command": "bonnie++ -d /tank"},
        "config": {"os.family": "Linux", "pool.compression": "lz4"},
        "origin": "measured",
        "source_note": None,
        "started_at": None,
        "run": 99,
    } | other
    config_from = dict.fromkeys(facts["config"], f"{path}:1")
    return Unmeasured(file=path, config_from=config_from, reason=reason, bound=bound, side=side, **facts)
