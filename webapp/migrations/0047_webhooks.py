"""Webhooks and their deliveries."""

import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL), ("webapp", "0046_whole_files")]

    operations = [
        migrations.CreateModel(
            name="Webhook",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("url", models.TextField()),
                ("events", models.JSONField(default=list)),
                ("secret", models.CharField(max_length=64)),
                ("is_active", models.BooleanField(default=True)),
                ("note", models.TextField(blank=True, default="")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("log_seen", models.BigIntegerField(default=0)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="webhooks", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="WebhookDelivery",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("number", models.BigIntegerField()),
                ("event", models.CharField(max_length=40)),
                ("key", models.TextField()),
                ("payload", models.JSONField()),
                (
                    "state",
                    models.CharField(
                        choices=[("pending", "to be delivered"), ("delivered", "delivered"), ("failed", "given up")],
                        default="pending",
                        max_length=10,
                    ),
                ),
                ("attempts", models.IntegerField(default=0)),
                ("response_code", models.IntegerField(null=True)),
                ("error", models.TextField(blank=True, default="")),
                ("created_at", models.DateTimeField()),
                ("tried_at", models.DateTimeField(null=True)),
                ("next_at", models.DateTimeField(null=True)),
                (
                    "webhook",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="deliveries", to="webapp.webhook"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["webhook", "state", "number"], name="webhook_pending")],
                "constraints": [models.UniqueConstraint(fields=["webhook", "key"], name="webhook_event_once")],
            },
        ),
    ]
