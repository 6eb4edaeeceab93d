"""The one app."""

from django.apps import AppConfig


class WebappConfig(AppConfig):
    """Ids are 64 bits wide: measurements may be many."""

    name = "webapp"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self):
        """Every process that sends a task (web server, reconciler, commands) needs the broker settings, not only the worker."""
        from webapp import celery, figures  # noqa: F401 (kinds of figures register themselves, for addresses that name them)
        from webapp.accounts import sign_in_links  # noqa: F401 (registers them)
