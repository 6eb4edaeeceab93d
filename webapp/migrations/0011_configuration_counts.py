"""Counts of the summary per scope and configuration, kept by triggers like those per metric."""
import django.db.models.deletion
from django.db import migrations, models

COUNT = """
CREATE TRIGGER summary_configurations_come AFTER INSERT ON webapp_summary REFERENCING NEW TABLE AS come
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_count_summary('webapp_configurationcount', 'configuration_id');
CREATE TRIGGER summary_configurations_gone AFTER DELETE ON webapp_summary REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_count_summary('webapp_configurationcount', 'configuration_id');
CREATE TRIGGER summary_configurations_changed AFTER UPDATE ON webapp_summary
    REFERENCING OLD TABLE AS gone NEW TABLE AS come
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_count_summary('webapp_configurationcount', 'configuration_id');
INSERT INTO webapp_configurationcount (scope, configuration_id, n, rows)
    SELECT scope, configuration_id, sum(n), count(*) FROM webapp_summary GROUP BY 1, 2;
"""
UNCOUNT = """
DROP TRIGGER summary_configurations_come ON webapp_summary;
DROP TRIGGER summary_configurations_gone ON webapp_summary;
DROP TRIGGER summary_configurations_changed ON webapp_summary;
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
