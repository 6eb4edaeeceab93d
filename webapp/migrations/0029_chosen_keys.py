"""Open keys that a person set, by configuration; those stored before have none until their archive is read again."""
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0028_unknown_sizes")]
    operations = [
        migrations.AddField(
            model_name="configuration", name="chosen",
            field=models.JSONField(default=list, db_default=[], help_text="Open keys of its identity that a person set")),
    ]
