"""Ten times as much of everything that lists show: no page reads more rows for it. Counts only: no machine changes them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from webapp.archives import hosts, review, splits
from webapp.models import Archive, Measurement
from webapp.storage import locks
from webapp.studies import page as gallery
from webapp.systems import configuration_queries
from webapp.tests import making, samples
from webapp.tests.reading import rows_read
from webapp.views import collection_pages, studies
from webapp.views.archives import archive_page, raw_view
from webapp.views.systems import configurations, system_pages

pytestmark = pytest.mark.django_db
SIZES = {
    archive_page: {"_COUNTED": 20},
    hosts: {"MOST_READ": 100},
    review: {"_SEARCHED_FILES": 50, "_SUGGESTION_SOURCES": 50},
    splits: {"MOST_CONFIGURATIONS": 50, "MOST_COUNTED": 100, "MOST_EVIDENCE": 100},
    collection_pages: {"_LISTED": 20},
    raw_view: {"_SHOWN": 50},
    studies: {"_SHOWN": 20, "_ARCHIVES": 5},
    gallery: {"MAX_LISTED": 20},
    configuration_queries: {"MAX_WORKLOADS": 20},
    configurations: {"_METRICS": 10},
    system_pages: {"_LIST": replace(system_pages._LIST, size=20), "_HOSTS": 5},
}

# Of numbers from one to another: each of them a study, a private archive of somebody else, a permalink, a collection, a system,
# a configuration on the system of the archive, a workload and a metric measured on its own configuration, and in that archive a
# file, a run, a value, a warning, evidence, a withdrawal, one that was taken back, a statement.
CROWD = """
INSERT INTO webapp_archive (sha256, name, title, authors, licence, published_in, caveat, study, size, owner_id, state, failure,
    attempts, uploaded_at, read_at, published_at, withdrawn_reason, files_total, files_done, measurements, warnings,
    stated_version)
SELECT kind || n, 'a', '', '', '', '', '', CASE kind WHEN 'study' THEN 'study-' || n WHEN 'many' THEN 'many' ELSE '' END, 1,
    %(owner)s + CASE kind WHEN 'other' THEN 1 ELSE 0 END, 'read', '', 0, now() + n * interval '1 s', now(),
    CASE WHEN kind <> 'other' THEN now() END, '', 1, 1, 1, 0, 0
FROM generate_series(%(first)s::int, %(last)s) AS n, unnest(ARRAY['study', 'many', 'other', 'on']) AS kind;
INSERT INTO webapp_permalink (id, digest, content, record, title, owner_id, frozen_at)
SELECT 'p' || n, n, n, '{}', '', %(owner)s, now() + n * interval '1 s' FROM generate_series(%(first)s::int, %(last)s) AS n;
INSERT INTO webapp_collection (id, digest, content, record, title, owner_id, frozen_at)
SELECT 'c' || n, n, n, '{}', '', %(owner)s, now() + n * interval '1 s' FROM generate_series(%(first)s::int, %(last)s) AS n;
INSERT INTO webapp_system (digest, cpu_model) SELECT 's' || n, 'CPU ' || n FROM generate_series(%(first)s::int, %(last)s) AS n;
INSERT INTO webapp_configuration (digest, system_id, os_id, pool_id, host)
SELECT kind || n, CASE kind WHEN 'own' THEN (SELECT id FROM webapp_system WHERE digest = 's' || n) ELSE c.system_id END,
    c.os_id, c.pool_id, 'host ' || n
FROM generate_series(%(first)s::int, %(last)s) AS n, unnest(ARRAY['own', 'here']) AS kind, webapp_configuration c
WHERE c.id = %(configuration)s;
INSERT INTO webapp_workload (digest, tool, stat, origin, params)
SELECT 'w' || n, 'dd', 'sample', 'measured', jsonb_build_object('file_size', n) FROM generate_series(%(first)s::int, %(last)s) AS n;
INSERT INTO webapp_metricname (name) SELECT 'm' || n FROM generate_series(%(first)s::int, %(last)s) AS n;
INSERT INTO webapp_summary (scope, metric_id, configuration_id, workload_id, n, mean, m2, low, high, "values", ids)
SELECT 0, %(metric)s, c.id, %(workload)s, 1, 1, 0, 1, 1, '{1}'::float8[], '{1}'::bigint[]
FROM generate_series(%(first)s::int, %(last)s) AS n JOIN webapp_configuration c ON c.digest IN ('own' || n, 'here' || n)
UNION ALL SELECT 0, %(metric)s, %(configuration)s, w.id, 1, 1, 0, 1, 1, '{1}', '{1}'
FROM generate_series(%(first)s::int, %(last)s) AS n JOIN webapp_workload w ON w.digest = 'w' || n
UNION ALL SELECT 0, m.id, %(configuration)s, %(workload)s, 1, 1, 0, 1, 1, '{1}', '{1}'
FROM generate_series(%(first)s::int, %(last)s) AS n JOIN webapp_metricname m ON m.name = 'm' || n
UNION ALL SELECT a.id, %(metric)s, %(configuration)s, %(workload)s, 1, 1, 0, 1, 1, '{1}', '{1}'
FROM generate_series(%(first)s::int, %(last)s) AS n
JOIN webapp_archive a ON a.sha256 IN ('on' || n, 'other' || n);
INSERT INTO webapp_archiveconfiguration (archive_id, configuration_id, runs, measurements, first_run, placed, tools, origins)
SELECT %(archive)s, c.id, 1, n, 1, false, '["dd"]', '["measured"]' FROM generate_series(%(first)s::int, %(last)s) AS n
JOIN webapp_configuration c ON c.digest = 'here' || n;
INSERT INTO webapp_file (archive_id, path, sha256, size, format, parser, status, first_measurement, measurements, warnings,
    config_digest, duplicate_of_id)
SELECT %(archive)s, 'more/' || n, 'sum ' || n, 1, '', '', 'parsed', 0, 0, 0, '', %(file)s
FROM generate_series(%(first)s::int, %(last)s) AS n;
INSERT INTO webapp_run (archive_id, file_id, configuration_id, tool, first_line, details, provenance_id, config_exact, derived,
    first_measurement, measurements)
SELECT %(archive)s, %(file)s, c.id, 'dd', n, '{}', %(provenance)s, '{}', '{}', 0, 1
FROM generate_series(%(first)s::int, %(last)s) AS n JOIN webapp_configuration c ON c.digest = 'here' || n;
INSERT INTO webapp_note (archive_id, file_id, path, line, code, message)
SELECT %(archive)s, %(file)s, 'dd.txt', n + 5000, 'conflict', 'x' FROM generate_series(%(first)s::int, %(last)s) AS n;
INSERT INTO webapp_evidencerow (archive_id, path, line, key, value, raw, kind, scope)
SELECT %(archive)s, 'dd.txt', n, key, '{"host": "h"}', '', 'stated', '' FROM generate_series(%(first)s::int, %(last)s) AS n,
unnest(ARRAY['configuration.1', 'host']) AS key;
INSERT INTO webapp_withdrawal (archive_id, what, path, line, metric, native, nth, raw, reason, made_at, restored_at, first, beyond)
SELECT %(archive)s, 'measurement', 'dd.txt', n, '', '', 0, '', 'x', now(), CASE WHEN back THEN now() + n * interval '1 s' END, 0, 0
FROM generate_series(%(first)s::int, %(last)s) AS n, unnest(ARRAY[true, false]) AS back;
INSERT INTO webapp_statement (archive_id, key, value, raw, reach, path, lines, made_by_id, made_at)
SELECT %(archive)s, 'host', '"h"', 'h', 'file', n, '[]', %(owner)s, now() FROM generate_series(%(first)s::int, %(last)s) AS n;
UPDATE webapp_profile SET told = told || '{"notes": {"conflict": 3000, "failed-run": 1}, "configurations": 3000}'
WHERE archive_id = %(archive)s;
"""
PAGES = (
    "/",
    "/archives",
    "/archives?mine=1",
    "/archives/{archive}",
    "/archives/{archive}/review",
    "/archives/{archive}/review?runs={configuration}",
    "/archives/{archive}/notes/conflict",
    "/archives/{archive}/raw/dd.txt",
    "/systems",
    "/systems/{system}",
    "/configurations/{configuration}",
    "/versus?a=configuration:{configuration}",
    "/runs/{run}",
    "/rankings",
    "/studies",
    "/studies/many",
    "/studies/one",
    "/log",
    "/permalinks",
    "/collections/new",
    "/upload",
)
BOUNDED = ("/archives/{archive}", "/systems/", "/configurations/", "/runs/", "/studies", "/log")
MOST_BYTES = 120_000
SIGNED = {page for page in PAGES if any(part in page for part in ("review", "mine", "permalinks", "new", "upload"))}


@pytest.fixture
def world(monkeypatch):
    for module, sizes in SIZES.items():
        for name, size in sizes.items():
            monkeypatch.setattr(module, name, size)
    archive = samples.received(samples.dd(2.5, damage=True), "dd.txt")
    Archive.objects.filter(pk=archive.pk).update(study="one")
    making.user("bob")
    run = archive.run_set.select_related("configuration").first()
    value = Measurement.objects.of(run).first()
    return {
        "archive": archive.pk,
        "run": run.pk,
        "configuration": run.configuration_id,
        "system": run.configuration.system_id,
        "file": run.file_id,
        "provenance": run.provenance_id,
        "owner": archive.owner_id,
        "metric": value.metric_id,
        "workload": value.workload_id,
    }


def crowd(world: dict, first: int, last: int) -> None:
    locks.lock_writes()
    with connection.cursor() as cursor:
        cursor.execute(CROWD, world | {"first": first, "last": last})
        cursor.execute("ANALYZE")


def cost(client, address: str) -> tuple[int, int]:
    """Rows read for a page that no cache holds, and its bytes. What a comparison knows until the data change, it knows: the figure
    of the first page is one."""
    client.get(address)
    cache.clear()
    with CaptureQueriesContext(connection) as caught:
        response = client.get(address)
    assert response.status_code == 200, address
    return rows_read(caught.captured_queries), len(response.content)


def costs(ann, world: dict) -> dict[tuple[str, bool], tuple[int, int]]:
    found = {(page, True): cost(ann, page.format(**world)) for page in PAGES}
    ann.logout()
    found |= {(page, False): cost(ann, page.format(**world)) for page in PAGES if page not in SIGNED}
    ann.force_login(making.user("ann"))
    return found


@pytest.mark.thorough
def it_reads_no_more_rows_where_there_is_ten_times_as_much(ann, world, settings):
    """Each page, as the owner of the archive and as a stranger. The quota of a day reads as many as a day allows."""
    settings.POOLMARK_QUOTA_ARCHIVES = 100
    crowd(world, 1, 200)
    small = costs(ann, world)
    crowd(world, 201, 2000)
    large = costs(ann, world)
    assert not {page: (small[page], found) for page, found in large.items() if found[0] > 1.3 * small[page][0] + 30}
    assert not {page: (small[page], found) for page, found in large.items() if found[1] > 1.1 * small[page][1] + 2_000}
    assert not {page: found for page, found in large.items() if page[0].startswith(BOUNDED) and found[1] > MOST_BYTES}
