"""What was so before a run: scrub, fill, temperature and the like. Archives read before have none."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0036_began_at")]

    operations = [migrations.AddField(model_name="run", name="state", field=models.JSONField(null=True))]
