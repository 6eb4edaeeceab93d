"""Tokens of the API, uploads that come in pieces, and answers kept for requests that are sent again."""

import uuid
from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone


class ApiTokenQuerySet(models.QuerySet):
    def valid(self):
        """Those that sign a request in now."""
        return self.filter(revoked_at=None, expires_at__gt=timezone.now(), owner__is_active=True)

    def owned_by(self, user):
        """Those of the account."""
        return self.filter(owner=user)


class ApiToken(models.Model):
    """Only the SHA-256 of the token is stored, and its first characters, by which its owner knows it again."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.TextField(help_text="What its owner calls it")
    digest = models.CharField(max_length=64, unique=True)
    prefix = models.CharField(max_length=24)
    scopes = models.JSONField(default=list, help_text="Those that it was given, and those that they include")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    objects = ApiTokenQuerySet.as_manager()


class RequestCount(models.Model):
    """Requests of one reader in the minute of the last one; used where there is no Redis (`http.request_queries`)."""

    key = models.TextField(primary_key=True)
    minute = models.BigIntegerField(help_text="Since 1970")
    n = models.IntegerField()


KEPT = timedelta(days=1)
"""For how long both are kept."""


class KeptQuerySet(models.QuerySet):
    """Rows that are kept for a day from `created_at` on."""

    def kept(self):
        return self.filter(created_at__gt=timezone.now() - KEPT)

    def forgotten(self):
        """Those that may be deleted."""
        return self.filter(created_at__lte=timezone.now() - KEPT)

    def owned_by(self, user):
        """Those of the account."""
        return self.filter(owner=user)

    def unfinished(self):
        """Uploads whose bytes are not all an archive."""
        return self.filter(archive=None)


class ApiUpload(models.Model):
    """Bytes that come in pieces, from the first to the last. `wanted`: title, description, labels, visibility and licence of the
    archive that they will be."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    name = models.TextField()
    size = models.BigIntegerField()
    sha256 = models.CharField(max_length=64)
    received = models.BigIntegerField(default=0, help_text="Bytes that are there, from the first on")
    wanted = models.JSONField()
    archive = models.BigIntegerField(null=True, help_text="Number of the archive that it became, which may be deleted since")
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    objects = KeptQuerySet.as_manager()


class UploadPiece(models.Model):
    """Some of its bytes, under `pieces/ID of the upload` in the store."""

    upload = models.ForeignKey(ApiUpload, on_delete=models.CASCADE, related_name="pieces")
    start = models.BigIntegerField()
    size = models.BigIntegerField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["upload", "start"], name="piece_once")]


class ApiAnswer(models.Model):
    """What a request with an Idempotency-Key was answered. `digest`: SHA-256 of what it asked for."""

    token = models.ForeignKey("ApiToken", on_delete=models.CASCADE, related_name="+")
    key = models.TextField()
    digest = models.CharField(max_length=64)
    status = models.SmallIntegerField()
    body = models.JSONField()
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    objects = KeptQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["token", "key"], name="answer_once")]
