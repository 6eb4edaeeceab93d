"""The one app."""

from django.apps import AppConfig


class WebappConfig(AppConfig):
    """Ids are 64 bits wide: measurements may be many."""

    name = "webapp"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self):
        """Whoever sends a task (web server, reconciler, commands) must know our broker, not only the worker."""
        from webapp import celery  # noqa: F401
