"""What the first page of a process reads stands in few rows: counts in tiers, metrics by scope, dimensions in blocks."""
import importlib

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

BEFORE = importlib.import_module("webapp.migrations.0017_count_blocks")

COUNTS = """
CREATE SEQUENCE webapp_countblock_number;
CREATE AGGREGATE webapp_joined(bigint[]) (SFUNC = array_cat, STYPE = bigint[], INITCOND = '{}');
CREATE AGGREGATE webapp_joined(int[]) (SFUNC = array_cat, STYPE = int[], INITCOND = '{}');

-- The blocks of a metric become one in which each row stands once.
CREATE FUNCTION webapp_pack_counts(scopes bigint[], metrics smallint[]) RETURNS void LANGUAGE sql AS $$
    WITH taken AS (
        DELETE FROM webapp_countblock b USING unnest(scopes, metrics) AS k(scope, metric_id)
        WHERE (b.scope, b.metric_id) = (k.scope, k.metric_id) RETURNING b.*
    ), numbered AS (
        SELECT scope, metric_id, min(block) AS block FROM taken GROUP BY 1, 2
    ), last AS (
        SELECT DISTINCT ON (scope, metric_id, configuration, workload) scope, metric_id, configuration, workload, n
        FROM taken CROSS JOIN LATERAL unnest(configurations, workloads, counts) WITH ORDINALITY AS t(configuration, workload, n, at)
        ORDER BY scope, metric_id, configuration, workload, block DESC, at DESC
    )
    INSERT INTO webapp_countblock (scope, metric_id, block, tier, entries, configurations, workloads, counts)
    SELECT scope, metric_id, block, 4, count(*), array_agg(configuration), array_agg(workload), array_agg(n)
    FROM last JOIN numbered USING (scope, metric_id) WHERE n > 0 GROUP BY 1, 2, 3
$$;

-- Eight blocks of a tier become one of the next. The earliest number is kept, so that what is told later stays later.
CREATE FUNCTION webapp_lift_counts(scopes bigint[], metrics smallint[], lifted int) RETURNS void LANGUAGE sql AS $$
    WITH taken AS (
        DELETE FROM webapp_countblock b USING unnest(scopes, metrics) AS k(scope, metric_id)
        WHERE (b.scope, b.metric_id, b.tier) = (k.scope, k.metric_id, lifted) RETURNING b.*
    )
    INSERT INTO webapp_countblock (scope, metric_id, block, tier, entries, configurations, workloads, counts)
    SELECT scope, metric_id, min(block), lifted + 1, sum(entries), webapp_joined(configurations ORDER BY block),
        webapp_joined(workloads ORDER BY block), webapp_joined(counts ORDER BY block)
    FROM taken GROUP BY 1, 2
$$;

CREATE FUNCTION webapp_tell_summary() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    touched record;
    grown record;
BEGIN
    -- The triggers that count have run: they come earlier in the alphabet.
    IF TG_OP = 'DELETE' THEN
        SELECT array_agg(scope) AS scopes, array_agg(metric_id) AS metrics INTO touched
            FROM (SELECT DISTINCT scope, metric_id FROM gone) AS d;
        DELETE FROM webapp_countblock b USING unnest(touched.scopes, touched.metrics) AS k(scope, metric_id)
            WHERE (b.scope, b.metric_id) = (k.scope, k.metric_id) AND NOT EXISTS (
                SELECT FROM webapp_metriccount c WHERE (c.scope, c.metric_id) = (k.scope, k.metric_id));
        INSERT INTO webapp_countblock (scope, metric_id, block, tier, entries, configurations, workloads, counts)
            SELECT scope, metric_id, nextval('webapp_countblock_number'), 0, rows, configurations, workloads,
                array_fill(0, ARRAY[rows])
            FROM (SELECT scope, metric_id, count(*)::int AS rows, array_agg(configuration_id) AS configurations,
                array_agg(workload_id) AS workloads FROM gone GROUP BY 1, 2) AS o
            WHERE EXISTS (SELECT FROM webapp_metriccount c WHERE (c.scope, c.metric_id) = (o.scope, o.metric_id));
    ELSE
        SELECT array_agg(scope) AS scopes, array_agg(metric_id) AS metrics INTO touched
            FROM (SELECT DISTINCT scope, metric_id FROM come) AS d;
        INSERT INTO webapp_countblock (scope, metric_id, block, tier, entries, configurations, workloads, counts)
            SELECT scope, metric_id, nextval('webapp_countblock_number'), 0, rows, configurations, workloads, counts
            FROM (SELECT scope, metric_id, count(*) AS rows, array_agg(configuration_id) AS configurations,
                array_agg(workload_id) AS workloads, array_agg(n) AS counts FROM come GROUP BY 1, 2) AS o;
    END IF;
    IF touched.scopes IS NULL THEN
        RETURN NULL;
    END IF;

    DELETE FROM webapp_scopecount s WHERE s.scope = ANY(touched.scopes)
        AND NOT EXISTS (SELECT FROM webapp_metriccount c WHERE c.scope = s.scope);
    INSERT INTO webapp_scopecount AS s (scope, metrics, names, n, rows)
        SELECT c.scope, array_agg(c.metric_id ORDER BY c.metric_id), array_agg(m.name ORDER BY c.metric_id),
            array_agg(c.n ORDER BY c.metric_id), array_agg(c.rows ORDER BY c.metric_id)
        FROM webapp_metriccount c JOIN webapp_metricname m ON m.id = c.metric_id
        WHERE c.scope = ANY(touched.scopes) GROUP BY 1
        ON CONFLICT (scope) DO UPDATE SET metrics = excluded.metrics, names = excluded.names, n = excluded.n, rows = excluded.rows;

    FOR lifted IN 0..3 LOOP
        SELECT array_agg(k.scope) AS scopes, array_agg(k.metric_id) AS metrics INTO grown
            FROM unnest(touched.scopes, touched.metrics) AS k(scope, metric_id) CROSS JOIN LATERAL (
                SELECT count(*) AS n FROM webapp_countblock b
                WHERE (b.scope, b.metric_id, b.tier) = (k.scope, k.metric_id, lifted) OFFSET 0) AS b WHERE b.n >= 8;
        EXIT WHEN grown.scopes IS NULL;
        IF lifted < 3 THEN
            PERFORM webapp_lift_counts(grown.scopes, grown.metrics, lifted);
        ELSE
            PERFORM webapp_pack_counts(grown.scopes, grown.metrics);
        END IF;
    END LOOP;
    -- A metric of which two thirds are no longer so is packed.
    SELECT array_agg(k.scope) AS scopes, array_agg(k.metric_id) AS metrics INTO grown
        FROM unnest(touched.scopes, touched.metrics) AS k(scope, metric_id)
        JOIN webapp_metriccount c USING (scope, metric_id) CROSS JOIN LATERAL (
            SELECT sum(entries) AS n FROM webapp_countblock b
            WHERE (b.scope, b.metric_id) = (k.scope, k.metric_id) OFFSET 0) AS b WHERE b.n > 3 * c.rows + 256;
    IF grown.scopes IS NOT NULL THEN
        PERFORM webapp_pack_counts(grown.scopes, grown.metrics);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER summary_told_come AFTER INSERT ON webapp_summary REFERENCING NEW TABLE AS come
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_tell_summary();
CREATE TRIGGER summary_told_gone AFTER DELETE ON webapp_summary REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_tell_summary();
CREATE TRIGGER summary_told_changed AFTER UPDATE ON webapp_summary REFERENCING NEW TABLE AS come
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_tell_summary();

INSERT INTO webapp_countblock (scope, metric_id, block, tier, entries, configurations, workloads, counts)
    SELECT scope, metric_id, nextval('webapp_countblock_number'), 4, rows, configurations, workloads, counts
    FROM (SELECT scope, metric_id, count(*) AS rows, array_agg(configuration_id) AS configurations,
        array_agg(workload_id) AS workloads, array_agg(n) AS counts FROM webapp_summary GROUP BY 1, 2) AS o;
INSERT INTO webapp_scopecount (scope, metrics, names, n, rows)
    SELECT c.scope, array_agg(c.metric_id ORDER BY c.metric_id), array_agg(m.name ORDER BY c.metric_id),
        array_agg(c.n ORDER BY c.metric_id), array_agg(c.rows ORDER BY c.metric_id)
    FROM webapp_metriccount c JOIN webapp_metricname m ON m.id = c.metric_id GROUP BY 1;
"""
NO_COUNTS = """
DROP TRIGGER summary_told_come ON webapp_summary;
DROP TRIGGER summary_told_gone ON webapp_summary;
DROP TRIGGER summary_told_changed ON webapp_summary;
DROP FUNCTION webapp_tell_summary();
DROP FUNCTION webapp_pack_counts(bigint[], smallint[]);
DROP FUNCTION webapp_lift_counts(bigint[], smallint[], int);
DROP AGGREGATE webapp_joined(bigint[]);
DROP AGGREGATE webapp_joined(int[]);
DROP SEQUENCE webapp_countblock_number;
TRUNCATE webapp_countblock;
"""
# What a row is found by is left out: nobody reads it here, and no compression makes it shorter.
TOLD = "json_agg(to_jsonb(c) - '{digest,at}'::text[] ORDER BY c.id)::text"
DIMENSIONS = f"""
CREATE FUNCTION webapp_tell_dimensions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    which smallint = TG_ARGV[0];
    taken_ids bigint[];
BEGIN
    IF TG_OP <> 'INSERT' THEN
        -- Rows never change under their id. Where somebody does it by hand, they are read by their key again.
        DELETE FROM webapp_dimensionblock b WHERE b.side = which
            AND EXISTS (SELECT FROM gone WHERE gone.id BETWEEN b.first AND b.last);
        RETURN NULL;
    END IF;
    INSERT INTO webapp_dimensionblock (side, tier, first, last, entries, told)
        SELECT which, 0, min(c.id), max(c.id), count(*), {TOLD} FROM come c HAVING count(*) > 0;
    -- What another writer is packing stays as it is, so that nobody waits.
    FOR lifted IN 0..2 LOOP
        taken_ids = ARRAY(SELECT b.id FROM webapp_dimensionblock b
            WHERE b.side = which AND b.tier = lifted AND b.entries < 512 ORDER BY b.id FOR UPDATE SKIP LOCKED);
        EXIT WHEN cardinality(taken_ids) < 8;
        WITH taken AS (DELETE FROM webapp_dimensionblock b WHERE b.id = ANY(taken_ids) RETURNING b.*)
        INSERT INTO webapp_dimensionblock (side, tier, first, last, entries, told)
            SELECT which, lifted + 1, min(first), max(last), sum(entries),
                '[' || string_agg(substr(told, 2, length(told) - 2), ',' ORDER BY id) || ']' FROM taken;
    END LOOP;
    RETURN NULL;
END $$;
""" + "".join(f"""
CREATE TRIGGER {name}_told_come AFTER INSERT ON webapp_{name} REFERENCING NEW TABLE AS come
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_tell_dimensions('{side}');
CREATE TRIGGER {name}_told_gone AFTER DELETE ON webapp_{name} REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_tell_dimensions('{side}');
CREATE TRIGGER {name}_told_changed AFTER UPDATE ON webapp_{name} REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_tell_dimensions('{side}');
INSERT INTO webapp_dimensionblock (side, tier, first, last, entries, told)
    SELECT {side}, 3, min(c.id), max(c.id), count(*), {TOLD}
    FROM (SELECT *, row_number() OVER (ORDER BY id) AS at FROM webapp_{name}) AS c GROUP BY (c.at - 1) / 512;
""" for side, name in enumerate(("configuration", "workload")))
NO_DIMENSIONS = "".join(f"DROP TRIGGER {name}_told_{what} ON webapp_{name};\n" for name in ("configuration", "workload")
                        for what in ("come", "gone", "changed")) + "DROP FUNCTION webapp_tell_dimensions();"


def _array(of: models.Field) -> models.Field:
    return ArrayField(base_field=of, size=None)


class Migration(migrations.Migration):
    dependencies = [("webapp", "0019_counted_once")]
    operations = [
        migrations.RunSQL(f"{BEFORE.FORGET} TRUNCATE webapp_countblock;", BEFORE.KEEP),
        migrations.RenameField("countblock", "rows", "entries"),
        migrations.AddField("countblock", "tier", models.SmallIntegerField(default=0), preserve_default=False),
        migrations.CreateModel(
            name="ScopeCount",
            fields=[
                ("scope", models.BigIntegerField(primary_key=True, serialize=False)),
                ("metrics", _array(models.SmallIntegerField())),
                ("names", _array(models.TextField())),
                ("n", _array(models.BigIntegerField())),
                ("rows", _array(models.BigIntegerField())),
            ],
        ),
        migrations.CreateModel(
            name="DimensionBlock",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("side", models.SmallIntegerField()),
                ("tier", models.SmallIntegerField()),
                ("first", models.BigIntegerField()),
                ("last", models.BigIntegerField()),
                ("entries", models.IntegerField()),
                ("told", models.TextField()),
            ],
        ),
        migrations.RunSQL(COUNTS, NO_COUNTS),
        migrations.RunSQL(DIMENSIONS, NO_DIMENSIONS),
    ]
