"""The digest by which a person's second freezing of the same finds the first."""
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("webapp", "0002_guards"),
    ]
    operations = [
        migrations.AddField(
            model_name="permalink",
            name="content",
            field=models.CharField(default="", help_text="SHA-256 of the record without name and date", max_length=64),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            model_name="permalink",
            constraint=models.UniqueConstraint(fields=("owner", "content"), name="permalink_once_per_owner"),
        ),
    ]
