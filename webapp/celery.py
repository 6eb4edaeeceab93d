"""The Celery application: ids and JSON through the broker, never pickles."""
import ctypes
import os
import signal
import sys

from celery import Celery
from celery.signals import worker_init, worker_process_init
from kombu.transport import TRANSPORT_ALIASES

_PR_SET_PDEATHSIG = 1
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


@worker_process_init.connect
def end_with_the_worker(**_: object) -> None:
    """One whose worker was killed would wait for its next archive for ever. What it was reading is read again."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
