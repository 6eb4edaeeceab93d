"""What webhooks last saw of the claims of permalinks."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0047_webhooks")]

    operations = [
        migrations.AddField(model_name="webhook", name="claims_at", field=models.DateTimeField(null=True)),
        migrations.AddField(model_name="webhook", name="claims_seen", field=models.JSONField(db_default={}, default=dict)),
    ]
