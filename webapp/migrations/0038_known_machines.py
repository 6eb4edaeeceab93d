"""What is known of a machine, by which archives of its owner share it."""

from django.db import migrations, models
from django.utils import timezone

KEYS = {"arch": "arch", "cpu.cores": "cpu_cores", "cpu.model": "cpu_model", "memory": "memory"}
VALUES = ", ".join(f"'{key}', jsonb_agg(DISTINCT {column}) FILTER (WHERE {column} IS NOT NULL)" for key, column in KEYS.items())
FILL = f"""UPDATE webapp_machine m SET known = k.known FROM (
    SELECT machine_id, jsonb_strip_nulls(jsonb_build_object({VALUES})) AS known FROM webapp_configuration
    WHERE machine_id IS NOT NULL GROUP BY machine_id) k
WHERE k.machine_id = m.id AND m.owner_id IS NOT NULL"""


class Migration(migrations.Migration):
    dependencies = [("webapp", "0037_run_state")]

    operations = [
        migrations.AddField("machine", "known", models.JSONField(default=dict, db_default={})),
        migrations.AddIndex(
            "machine", models.Index(fields=["owner"], name="machine_of_owner", condition=models.Q(owner__isnull=False))
        ),
        migrations.SeparateDatabaseAndState(  # a default in Python alone
            state_operations=[
                migrations.AlterField(
                    "statement",
                    "made_at",
                    models.DateTimeField(default=timezone.now, help_text="One moment for all that was saved together"),
                ),
            ]
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
