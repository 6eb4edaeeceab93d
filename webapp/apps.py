"""The one app."""

from functools import lru_cache

from django.apps import AppConfig
from django.urls import get_resolver


class WebappConfig(AppConfig):
    """Ids are 64 bits wide: measurements may be many."""

    name = "webapp"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self):
        """Every process that sends a task (web server, reconciler, commands) needs the broker settings, not only the worker."""
        resolver = get_resolver()  # it would try all patterns twice a request: for the ETag, and for the view
        resolver.resolve = lru_cache(1000)(resolver.resolve)  # type: ignore[method-assign]
        from webapp import celery, figures  # noqa: F401 (kinds of figures register themselves, for addresses that name them)
        from webapp.accounts import sign_in_links  # noqa: F401 (registers them)
