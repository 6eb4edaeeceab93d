"""How many runs a capture made, and how many of them an archive has."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0043_labels")]

    operations = [
        migrations.AddField(
            "archive",
            "captured",
            models.TextField(blank=True, default="", db_default="", help_text="How many runs a capture made, and are here"),
        ),
    ]
