"""The WSGI application."""

import gc
import os
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from django.core.wsgi import get_wsgi_application

from webapp.monitoring import tracing

gc.disable()  # nothing that is loaded here is garbage
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
tracing.start("poolmark-web")  # before the middlewares are loaded
_django = get_wsgi_application()

from django.conf import settings  # noqa: E402
from django.template import Engine, TemplateSyntaxError  # noqa: E402
from django.urls import reverse  # noqa: E402

from webapp.http.early_answers import with_early_answers  # noqa: E402 (it needs the settings)
from webapp.http.page_cache import release_digest  # noqa: E402
from webapp.http.read_replica import ReplicaRouter  # noqa: E402
from webapp.monitoring.logs import with_request_log  # noqa: E402

application = with_early_answers(_django)
if settings.DATABASE_REPLICA_URL:
    application = ReplicaRouter(application, settings.DATABASE_REPLICA_URL)
application = with_request_log(application)


def _warm_up() -> None:
    """Load what the first request would: views, templates, the distributions of claims, the digest of the release."""
    reverse("home")
    release_digest()
    import_module("scipy.special")
    engine = Engine.get_default()
    assert engine.template_context_processors
    for folder in engine.dirs:
        for file in Path(folder).rglob("*.*"):
            with suppress(TemplateSyntaxError):  # which is left to the page that has it
                engine.get_template(file.relative_to(folder).as_posix())


_warm_up()
# Modules loaded so far stay in memory, and pages create many objects but few cycles: frequent collections, which scan
# the cached rows, would take longer than many pages.
gc.freeze()
gc.enable()
gc.set_threshold(50_000, 20, 20)

# A thread that returns from the database waits for this interval while another one renders a page. The default of 5 ms
# doubles the latency with eight concurrent readers (script/bench pages).
sys.setswitchinterval(0.001)
