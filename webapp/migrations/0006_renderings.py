"""Files made of a permalink, kept as first written."""
import django.db.models.deletion
from django.db import migrations, models

GUARD = """
CREATE TRIGGER rendering_row_is_frozen BEFORE UPDATE OR DELETE ON webapp_rendering
    FOR EACH ROW EXECUTE FUNCTION webapp_permalink_is_frozen();
CREATE TRIGGER rendering_table_is_frozen BEFORE TRUNCATE ON webapp_rendering
    FOR EACH STATEMENT EXECUTE FUNCTION webapp_permalink_is_frozen();
"""
UNGUARD = """
DROP TRIGGER rendering_row_is_frozen ON webapp_rendering;
DROP TRIGGER rendering_table_is_frozen ON webapp_rendering;
"""


class Migration(migrations.Migration):
    dependencies = [("webapp", "0005_statements_and_withdrawals")]
    operations = [
        migrations.CreateModel(
            name="Rendering",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("media_type", models.CharField(max_length=60)),
                ("data", models.BinaryField()),
                ("sha256", models.CharField(max_length=64)),
                ("permalink", models.ForeignKey(on_delete=django.db.models.deletion.DO_NOTHING, related_name="renderings",
                                                to="webapp.permalink")),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("permalink", "name"), name="rendering_once")]},
        ),
        migrations.RunSQL(GUARD, UNGUARD),
    ]
