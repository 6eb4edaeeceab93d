"""The one app."""
from django.apps import AppConfig


class WebappConfig(AppConfig):
    """Ids are 64 bits wide: measurements may be many."""

    name = "webapp"
    default_auto_field = "django.db.models.BigAutoField"
