"""Sign-in links that work once."""

from django.conf import settings
from django.db import models


class SignInToken(models.Model):
    """Only the SHA-256 of the secret is stored."""

    digest = models.CharField(max_length=64, unique=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True)
