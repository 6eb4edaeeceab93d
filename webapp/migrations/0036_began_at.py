"""The newest time at which a reading began, which the next one follows, is found without reading all archives."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0035_turns")]

    operations = [
        migrations.AddIndex(
            model_name="archive",
            index=models.Index(fields=["-began_at"], name="archive_last_begun", condition=models.Q(began_at__isnull=False)),
        ),
    ]
