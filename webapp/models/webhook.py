"""Webhooks: addresses that get events, and the log of deliveries."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models


class WebhookQuerySet(models.QuerySet):
    def owned_by(self, user):
        """Those of the account."""
        return self.filter(owner=user)

    def active(self):
        """Those that get events."""
        return self.filter(is_active=True, owner__is_active=True)

    def asking_for(self, event: str):
        """Those that get events of this name."""
        return self.active().filter(events__contains=[event])


class Webhook(models.Model):
    """`secret` signs every delivery. `log_seen`: number of the last entry of the public log that was looked at. `note`: why it was
    switched off. `claims_at`: when claims of the owner's permalinks were last looked at. `claims_seen`: permalink -> the data
    version at which it was, and the words that are not those of its record by the number of their pair; null where it has no
    claims."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="webhooks")
    url = models.TextField()
    events = models.JSONField(default=list)
    secret = models.CharField(max_length=64)
    is_active = models.BooleanField(default=True)
    note = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    log_seen = models.BigIntegerField(default=0)
    claims_at = models.DateTimeField(null=True)
    claims_seen = models.JSONField(default=dict, db_default={})

    objects = WebhookQuerySet.as_manager()


class WebhookDelivery(models.Model):
    """An event for one webhook. `key`: what happened, once for each webhook. `next_at`: of the next attempt, null
    where there is none."""

    class State(models.TextChoices):
        PENDING = "pending", "to be delivered"
        DELIVERED = "delivered", "delivered"
        FAILED = "failed", "given up"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    number = models.BigIntegerField()
    event = models.CharField(max_length=40)
    key = models.TextField()
    payload = models.JSONField()
    state = models.CharField(max_length=10, choices=State, default=State.PENDING)
    attempts = models.IntegerField(default=0)
    response_code = models.IntegerField(null=True)
    error = models.TextField(blank=True, default="")
    created_at = models.DateTimeField()
    tried_at = models.DateTimeField(null=True)
    next_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["webhook", "key"], name="webhook_event_once")]
        indexes = [models.Index(fields=["webhook", "state", "number"], name="webhook_pending")]
