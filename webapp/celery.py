"""The Celery application: ids and JSON through the broker, never pickles."""
import os

from celery import Celery
from celery.signals import worker_init
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
TRANSPORT_ALIASES["filesystem"] = "webapp.filequeue:Transport"

app = Celery("poolmark")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["webapp"])


@worker_init.connect
def load_parsers(**_: object) -> None:
    """Before the processes that read are forked: each would load them when its first archive comes, and somebody waits for it."""
    from ingest import recognise

    recognise.prepare()
