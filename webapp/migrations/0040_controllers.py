"""The open properties that name a controller are found without a look at the others."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0039_reported_hosts")]

    operations = [
        migrations.AddIndex(
            "openproperties",
            models.Index(fields=["id"], name="open_of_controllers", condition=models.Q(values__has_key="raid.controller")),
        ),
    ]
