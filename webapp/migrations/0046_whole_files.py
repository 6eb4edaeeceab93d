"""The newest edition of the public data as one file a table."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0045_api_uploads")]

    operations = [
        migrations.AddField("publicdata", "whole", models.JSONField(default=dict, db_default={})),
    ]
