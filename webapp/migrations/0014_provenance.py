"""Where the keys of a configuration were read, once per archive and not once per run: most runs of an archive share it."""
import django.db.models.deletion
from django.db import migrations, models

SHARE = """
INSERT INTO webapp_provenance (archive_id, told) SELECT archive_id, config_from FROM webapp_run GROUP BY 1, 2 ORDER BY min(id);
UPDATE webapp_run r SET provenance_id = p.id FROM webapp_provenance p
WHERE p.archive_id = r.archive_id AND p.told = r.config_from;
"""
UNSHARE = "UPDATE webapp_run r SET config_from = p.told FROM webapp_provenance p WHERE p.id = r.provenance_id"


def _link(**more):
    return models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING,
                             to="webapp.provenance", **more)


class Migration(migrations.Migration):
    dependencies = [("webapp", "0013_measurements_by_id")]
    operations = [
        migrations.CreateModel(
            name="Provenance",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("told", models.JSONField(default=dict)),
                ("archive", models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING,
                                              related_name="provenances", to="webapp.archive")),
            ],
        ),
        migrations.AddField("run", "provenance", _link(null=True)),
        migrations.RunSQL(SHARE, UNSHARE),
        migrations.AlterField("run", "provenance", _link()),
        migrations.RemoveField("run", "config_from"),
    ]
