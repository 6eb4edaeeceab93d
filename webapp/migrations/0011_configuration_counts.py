"""Counts of the summary per scope and configuration, kept by triggers like those per metric."""
import django.db.models.deletion
from django.db import migrations, models

COUNT = """
CREATE FUNCTION webapp_count_configurations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        UPDATE webapp_configurationcount c SET n = c.n - o.n, rows = c.rows - o.rows
        FROM (SELECT scope, configuration_id, sum(n) AS n, count(*) AS rows FROM gone GROUP BY 1, 2) o
        WHERE c.scope = o.scope AND c.configuration_id = o.configuration_id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO webapp_configurationcount AS c (scope, configuration_id, n, rows)
        SELECT scope, configuration_id, sum(n), count(*) FROM come GROUP BY 1, 2 ORDER BY 1, 2
        ON CONFLICT (scope, configuration_id) DO UPDATE SET n = c.n + excluded.n, rows = c.rows + excluded.rows;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM webapp_configurationcount c USING (SELECT DISTINCT scope, configuration_id FROM gone) o
        WHERE c.rows = 0 AND c.scope = o.scope AND c.configuration_id = o.configuration_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER summary_configurations_come AFTER INSERT ON webapp_summary REFERENCING NEW TABLE AS come
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_count_configurations();
CREATE TRIGGER summary_configurations_gone AFTER DELETE ON webapp_summary REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_count_configurations();
CREATE TRIGGER summary_configurations_changed AFTER UPDATE ON webapp_summary
    REFERENCING OLD TABLE AS gone NEW TABLE AS come FOR EACH STATEMENT EXECUTE FUNCTION webapp_count_configurations();
INSERT INTO webapp_configurationcount (scope, configuration_id, n, rows)
    SELECT scope, configuration_id, sum(n), count(*) FROM webapp_summary GROUP BY 1, 2;
"""
UNCOUNT = """
DROP TRIGGER summary_configurations_come ON webapp_summary;
DROP TRIGGER summary_configurations_gone ON webapp_summary;
DROP TRIGGER summary_configurations_changed ON webapp_summary;
DROP FUNCTION webapp_count_configurations();
"""


class Migration(migrations.Migration):
    dependencies = [("webapp", "0010_summary_parts")]
    operations = [
        migrations.CreateModel(
            name="ConfigurationCount",
            fields=[
                ("pk", models.CompositePrimaryKey("scope", "configuration_id", blank=True, editable=False,
                                                  primary_key=True, serialize=False)),
                ("scope", models.BigIntegerField()),
                ("n", models.BigIntegerField()),
                ("rows", models.BigIntegerField()),
                ("configuration", models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING,
                                                    related_name="counts", to="webapp.configuration")),
            ],
        ),
        migrations.RunSQL(COUNT, UNCOUNT),
    ]
