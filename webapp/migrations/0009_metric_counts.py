"""Counts of the summary per scope and metric, which triggers keep true."""
import django.db.models.deletion
from django.db import migrations, models

COUNT = """
CREATE FUNCTION webapp_count_metrics() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        UPDATE webapp_metriccount c SET n = c.n - o.n, rows = c.rows - o.rows
        FROM (SELECT scope, metric_id, sum(n) AS n, count(*) AS rows FROM gone GROUP BY 1, 2) o
        WHERE c.scope = o.scope AND c.metric_id = o.metric_id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO webapp_metriccount AS c (scope, metric_id, n, rows)
        SELECT scope, metric_id, sum(n), count(*) FROM come GROUP BY 1, 2 ORDER BY 1, 2
        ON CONFLICT (scope, metric_id) DO UPDATE SET n = c.n + excluded.n, rows = c.rows + excluded.rows;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM webapp_metriccount c USING (SELECT DISTINCT scope, metric_id FROM gone) o
        WHERE c.rows = 0 AND c.scope = o.scope AND c.metric_id = o.metric_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER summary_counts_come AFTER INSERT ON webapp_summary REFERENCING NEW TABLE AS come
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_count_metrics();
CREATE TRIGGER summary_counts_gone AFTER DELETE ON webapp_summary REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_count_metrics();
CREATE TRIGGER summary_counts_changed AFTER UPDATE ON webapp_summary REFERENCING OLD TABLE AS gone NEW TABLE AS come
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_count_metrics();
INSERT INTO webapp_metriccount (scope, metric_id, n, rows)
    SELECT scope, metric_id, sum(n), count(*) FROM webapp_summary GROUP BY 1, 2;
"""
UNCOUNT = """
DROP TRIGGER summary_counts_come ON webapp_summary;
DROP TRIGGER summary_counts_gone ON webapp_summary;
DROP TRIGGER summary_counts_changed ON webapp_summary;
DROP FUNCTION webapp_count_metrics();
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
