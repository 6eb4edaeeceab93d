"""The counts of the summary's rows in blocks of configurations, which triggers keep true."""
import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

KEEP = """
-- Public rows change with every upload, 16 configurations at a time; those of an archive are written once.
CREATE FUNCTION webapp_block(scope bigint, configuration bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
    $$ SELECT configuration >> CASE scope WHEN 0 THEN 4 ELSE 10 END $$;
CREATE FUNCTION webapp_block_summary() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    grown record;
BEGIN
    IF TG_OP = 'DELETE' THEN
        -- What a block loses as a whole goes as a row; of others what is gone is told by a count of 0.
        WITH o AS MATERIALIZED (
            SELECT scope, metric_id, webapp_block(scope, configuration_id) AS block, count(*)::int AS rows,
                array_agg(configuration_id) AS configurations, array_agg(workload_id) AS workloads
            FROM gone GROUP BY 1, 2, 3
        ), emptied AS (
            DELETE FROM webapp_countblock b USING o
            WHERE (b.scope, b.metric_id, b.block) = (o.scope, o.metric_id, o.block) AND b.rows = o.rows
        )
        UPDATE webapp_countblock b SET rows = b.rows - o.rows, configurations = b.configurations || o.configurations,
            workloads = b.workloads || o.workloads, counts = b.counts || array_fill(0, ARRAY[o.rows])
        FROM o WHERE (b.scope, b.metric_id, b.block) = (o.scope, o.metric_id, o.block) AND b.rows <> o.rows;
    ELSE
        -- What is told later holds, so that what changed is appended; a block of which half is no longer so is packed.
        WITH written AS (
            INSERT INTO webapp_countblock AS b (scope, metric_id, block, rows, configurations, workloads, counts)
            SELECT scope, metric_id, webapp_block(scope, configuration_id), count(*), array_agg(configuration_id),
                array_agg(workload_id), array_agg(n)
            FROM come GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
            ON CONFLICT (scope, metric_id, block) DO UPDATE SET
                rows = b.rows + CASE TG_OP WHEN 'INSERT' THEN excluded.rows ELSE 0 END,
                configurations = b.configurations || excluded.configurations,
                workloads = b.workloads || excluded.workloads, counts = b.counts || excluded.counts
            RETURNING scope, metric_id, block, rows, cardinality(counts) AS entries
        )
        SELECT array_agg(scope) AS scopes, array_agg(metric_id) AS metrics, array_agg(block) AS blocks INTO grown
        FROM written WHERE entries > 2 * rows + 32;
        IF grown.scopes IS NOT NULL THEN
            UPDATE webapp_countblock b SET (configurations, workloads, counts) = (
                SELECT array_agg(configuration), array_agg(workload), array_agg(n) FROM (
                    SELECT DISTINCT ON (configuration, workload) configuration, workload, n
                    FROM unnest(b.configurations, b.workloads, b.counts) WITH ORDINALITY AS t(configuration, workload, n, at)
                    ORDER BY configuration, workload, at DESC
                ) last WHERE n > 0)
            FROM unnest(grown.scopes, grown.metrics, grown.blocks) AS g(scope, metric_id, block)
            WHERE (b.scope, b.metric_id, b.block) = (g.scope, g.metric_id, g.block);
        END IF;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER summary_blocks_come AFTER INSERT ON webapp_summary REFERENCING NEW TABLE AS come
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_block_summary();
CREATE TRIGGER summary_blocks_gone AFTER DELETE ON webapp_summary REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_block_summary();
CREATE TRIGGER summary_blocks_changed AFTER UPDATE ON webapp_summary REFERENCING NEW TABLE AS come
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_block_summary();
INSERT INTO webapp_countblock (scope, metric_id, block, rows, configurations, workloads, counts)
    SELECT scope, metric_id, webapp_block(scope, configuration_id), count(*), array_agg(configuration_id),
        array_agg(workload_id), array_agg(n)
    FROM webapp_summary GROUP BY 1, 2, 3;
"""
FORGET = """
DROP TRIGGER summary_blocks_come ON webapp_summary;
DROP TRIGGER summary_blocks_gone ON webapp_summary;
DROP TRIGGER summary_blocks_changed ON webapp_summary;
DROP FUNCTION webapp_block_summary();
DROP FUNCTION webapp_block(bigint, bigint);
"""


def _array(of: models.Field) -> models.Field:
    return django.contrib.postgres.fields.ArrayField(base_field=of, size=None)


class Migration(migrations.Migration):
    dependencies = [("webapp", "0016_counts_of_lists")]
    operations = [
        migrations.CreateModel(
            name="CountBlock",
            fields=[
                ("pk", models.CompositePrimaryKey("scope", "metric_id", "block", blank=True, editable=False, primary_key=True,
                                                  serialize=False)),
                ("scope", models.BigIntegerField()),
                ("block", models.BigIntegerField()),
                ("rows", models.IntegerField()),
                ("configurations", _array(models.BigIntegerField())),
                ("workloads", _array(models.BigIntegerField())),
                ("counts", _array(models.IntegerField())),
                ("metric", models.ForeignKey(db_constraint=False, db_index=False,
                                             on_delete=django.db.models.deletion.DO_NOTHING, to="webapp.metricname")),
            ],
        ),
        migrations.RunSQL(KEEP, FORGET),
    ]
