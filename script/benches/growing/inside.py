"""Measures the database that the environment names, in one transaction that is rolled back: FILE SERVER REQUESTS ROUNDS ROWS WHOLE.

FILE takes the figures as JSON, SERVER is the process of the database server; WHOLE is 0 where comparisons of everything are not
frozen.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[2]), str(HERE.parents[3])]
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")

import django  # noqa: E402

django.setup()

from benches.growing import facts, jobs, pages  # noqa: E402
from benches.growing.meter import Meter, resident  # noqa: E402
from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.db.migrations.executor import MigrationExecutor  # noqa: E402

from webapp.accounts import sign_in_links  # noqa: E402
from webapp.comparison.selection import parse  # noqa: E402
from webapp.permalinks import freeze  # noqa: E402
from webapp.permalinks.frozen_addresses import find_origin  # noqa: E402


def measured(meter: Meter, place: Path, requests: int, rounds: int, rows: int, is_whole_frozen: int) -> dict[str, object]:
    """{counts, bytes, pages, jobs, memory}; leaves the database unchanged."""
    jobs_figures: dict[str, object] = {}
    found: dict[str, object] = {"counts": facts.counts(), "bytes": facts.sizes(), "jobs": jobs_figures}
    _add_figures(jobs_figures, jobs.of_export(meter, rows))
    with transaction.atomic():
        owner, busiest = sign_in_links.ensure_account("growth-bench"), facts.busiest()
        archive = jobs.own(place, 0, owner)
        frozen = [
            freeze.freeze_draft(
                freeze.draft_comparison(parse([("metric", facts.METRIC), ("x", "compression"), *only]), owner, "", ""),
                owner,
                find_origin(),
            ).pk
            for only in ([("archive", str(archive.pk))], *([[]] if is_whole_frozen else []))
        ]
        shown = found["pages"] = {}
        _add_figures(shown, pages.figures(meter, pages.addresses(busiest, archive, *frozen), owner, requests))
        found["memory"] = {"a process that has shown every page, MB": round(resident())}
        _add_figures(jobs_figures, jobs.of_archives(meter, place, owner, rounds))
        _add_figures(jobs_figures, jobs.of_freezing(meter, place, owner, rounds, bool(is_whole_frozen)))
        _add_figures(jobs_figures, jobs.of_database(meter))
        transaction.set_rollback(True)
    return found


def _add_figures(found: dict[str, object], figures: Iterator[tuple[str, object]]) -> None:
    """Add the figures, printing each as it is measured."""
    for name, value in figures:
        found[name] = value
        print(f"  {name}: {value}", file=sys.stderr, flush=True)


def main(file: str, server: str, *numbers: str) -> None:
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise SystemExit("its tables are those of another version; run `manage.py prepare` on it (or on a copy of it)")
    settings.ALLOWED_HOSTS.append("testserver")
    call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=["django_htmx"])
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)  # as the web server has it
    found = measured(Meter(int(server)), Path(file).parent, *map(int, numbers))
    Path(file).write_text(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
