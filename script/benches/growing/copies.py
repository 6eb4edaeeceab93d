"""Many rows of the summary without measurements: configurations copied with hosts of their own, by SQL with the triggers on."""

from __future__ import annotations

from django.db import connection, transaction

from webapp.storage.locks import lock_writes

EACH = 400
"""Configurations of a statement, as of an archive."""
# The last column of each is what tells copies apart.
_CONFIGURATIONS = """
INSERT INTO webapp_configuration ({names}, host, digest)
SELECT {names}, coalesce(host, 'copy') || '-' || %(round)s, encode(sha256((digest || '-' || %(round)s)::bytea), 'hex')
FROM webapp_configuration WHERE id = ANY(%(ids)s) ORDER BY id RETURNING id
"""
_SUMMARY = """
INSERT INTO webapp_summary (scope, metric_id, configuration_id, workload_id, n, mean, m2, low, high, "values", ids, histogram)
SELECT s.scope, s.metric_id, k.made, s.workload_id, s.n, s.mean, s.m2, s.low, s.high, s."values", s.ids, s.histogram
FROM unnest(%(ids)s::bigint[], %(made)s::bigint[]) AS k(id, made) JOIN webapp_summary s ON s.configuration_id = k.id
WHERE s.scope <= 0
"""
_COLUMNS = """
SELECT string_agg(quote_ident(column_name), ', ') FROM information_schema.columns
WHERE table_name = 'webapp_configuration' AND column_name NOT IN ('id', 'host', 'digest')
"""
_ROWS = "SELECT coalesce(sum(rows), 0) FROM webapp_metriccount WHERE scope = 0"


def copy_configurations(rows: int) -> None:
    """Copy every configuration, again and again, until the public data have so many rows of the summary."""
    with connection.cursor() as cursor:
        cursor.execute(_COLUMNS)
        (names,) = cursor.fetchone()
        cursor.execute("SELECT configuration_id FROM webapp_configurationcount WHERE scope = 0 ORDER BY 1")
        ids = [one for (one,) in cursor.fetchall()]
        for at in range(10**6):
            cursor.execute(_ROWS)
            if cursor.fetchone()[0] >= rows:
                break
            turn, first = divmod(at, -(-len(ids) // EACH))
            given = {"ids": ids[first * EACH : (first + 1) * EACH], "round": str(turn + 1)}
            with transaction.atomic():
                lock_writes()
                cursor.execute(_CONFIGURATIONS.format(names=names), given)
                cursor.execute(_SUMMARY, {**given, "made": [made for (made,) in cursor.fetchall()]})
        cursor.execute("VACUUM ANALYZE")
