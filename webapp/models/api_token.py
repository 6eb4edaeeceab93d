"""Tokens of the API."""

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
    """Requests of one reader in the minute of the last one; used where there is no Redis (`accounts.request_queries`)."""

    key = models.TextField(primary_key=True)
    minute = models.BigIntegerField(help_text="Since 1970")
    n = models.IntegerField()
