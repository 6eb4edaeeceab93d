"""Uploads in pieces, and answers to requests with an Idempotency-Key; both are kept for a day."""

import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

NUMBER = ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))
MADE = ("created_at", models.DateTimeField(db_index=True, default=django.utils.timezone.now))
OWNER = models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)


class Migration(migrations.Migration):
    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL), ("webapp", "0044_captured")]

    operations = [
        migrations.CreateModel(
            name="ApiUpload",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("name", models.TextField()),
                ("size", models.BigIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                ("received", models.BigIntegerField(default=0, help_text="Bytes that are there, from the first on")),
                ("wanted", models.JSONField()),
                (
                    "archive",
                    models.BigIntegerField(
                        null=True, help_text="Number of the archive that it became, which may be deleted since"
                    ),
                ),
                MADE,
                ("owner", OWNER),
            ],
        ),
        migrations.CreateModel(
            name="UploadPiece",
            fields=[
                NUMBER,
                ("start", models.BigIntegerField()),
                ("size", models.BigIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                (
                    "upload",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="pieces", to="webapp.apiupload"
                    ),
                ),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("upload", "start"), name="piece_once")]},
        ),
        migrations.CreateModel(
            name="ApiAnswer",
            fields=[
                NUMBER,
                ("key", models.TextField()),
                ("digest", models.CharField(max_length=64)),
                ("status", models.SmallIntegerField()),
                ("body", models.JSONField()),
                MADE,
                (
                    "token",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="webapp.apitoken"),
                ),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("token", "key"), name="answer_once")]},
        ),
    ]
