"""Counts of the summary per scope and metric, which triggers keep true."""
import django.db.models.deletion
from django.db import migrations, models

COUNT = """
-- Arguments of the trigger: the table of counts, and the column of the summary that it counts by beside the scope.
CREATE FUNCTION webapp_count_summary() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        EXECUTE format('UPDATE %1$I c SET n = c.n - o.n, rows = c.rows - o.rows
            FROM (SELECT scope, %2$I, sum(n) AS n, count(*) AS rows FROM gone GROUP BY 1, 2) o
            WHERE c.scope = o.scope AND c.%2$I = o.%2$I', TG_ARGV[0], TG_ARGV[1]);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        EXECUTE format('INSERT INTO %1$I AS c (scope, %2$I, n, rows)
            SELECT scope, %2$I, sum(n), count(*) FROM come GROUP BY 1, 2 ORDER BY 1, 2
            ON CONFLICT (scope, %2$I) DO UPDATE SET n = c.n + excluded.n, rows = c.rows + excluded.rows',
            TG_ARGV[0], TG_ARGV[1]);
    END IF;
    IF TG_OP <> 'INSERT' THEN
        EXECUTE format('DELETE FROM %1$I c USING (SELECT DISTINCT scope, %2$I FROM gone) o
            WHERE c.rows = 0 AND c.scope = o.scope AND c.%2$I = o.%2$I', TG_ARGV[0], TG_ARGV[1]);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER summary_counts_come AFTER INSERT ON webapp_summary REFERENCING NEW TABLE AS come
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_count_summary('webapp_metriccount', 'metric_id');
CREATE TRIGGER summary_counts_gone AFTER DELETE ON webapp_summary REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_count_summary('webapp_metriccount', 'metric_id');
CREATE TRIGGER summary_counts_changed AFTER UPDATE ON webapp_summary REFERENCING OLD TABLE AS gone NEW TABLE AS come
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_count_summary('webapp_metriccount', 'metric_id');
INSERT INTO webapp_metriccount (scope, metric_id, n, rows)
    SELECT scope, metric_id, sum(n), count(*) FROM webapp_summary GROUP BY 1, 2;
"""
UNCOUNT = """
DROP TRIGGER summary_counts_come ON webapp_summary;
DROP TRIGGER summary_counts_gone ON webapp_summary;
DROP TRIGGER summary_counts_changed ON webapp_summary;
DROP FUNCTION webapp_count_summary();
"""


class Migration(migrations.Migration):
    dependencies = [("webapp", "0008_cut_outputs")]
    operations = [
        migrations.CreateModel(
            name="MetricCount",
            fields=[
                ("pk", models.CompositePrimaryKey("scope", "metric_id", blank=True, editable=False, primary_key=True,
                                                  serialize=False)),
                ("scope", models.BigIntegerField()),
                ("n", models.BigIntegerField()),
                ("rows", models.BigIntegerField()),
                ("metric", models.ForeignKey(db_constraint=False, db_index=False,
                                             on_delete=django.db.models.deletion.DO_NOTHING, to="webapp.metricname")),
            ],
        ),
        migrations.RunSQL(COUNT, UNCOUNT),
    ]
