"""When a reading began, for turns by person; and whether a small archive is a slow one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0034_public_data")]

    operations = [
        migrations.AddField(
            model_name="archive",
            name="began_at",
            field=models.DateTimeField(null=True, help_text="When its last reading began: whose turn is next follows from it"),
        ),
        migrations.AddField(
            model_name="archive",
            name="is_slow",
            field=models.BooleanField(default=False, db_default=False, help_text="Small, and not read in the time of small ones"),
        ),
        migrations.AddIndex(
            model_name="archive",
            index=models.Index(fields=["owner", "-began_at"], name="archive_turns", condition=models.Q(began_at__isnull=False)),
        ),
    ]
