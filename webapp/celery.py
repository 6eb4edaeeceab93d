"""The Celery application: ids and JSON through the broker, never pickles."""

import os

from celery import Celery
from celery.signals import worker_init, worker_process_init
from kombu.transport import TRANSPORT_ALIASES

from webapp.monitoring import tracing

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
TRANSPORT_ALIASES["filesystem"] = "webapp.infrastructure.filesystem_broker:Transport"
READING_QUEUES = {"celery", "small"}  # queues of archives, see CELERY_TASK_QUEUES
_worker_pid = 0  # of the process that forks the readers; 0 where they are not forked

app = Celery("poolmark")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["webapp"])


@worker_init.connect
def load_parsers(**_: object) -> None:
    """Load the parsers before readers are forked; otherwise each would load them for its first archive."""
    if READING_QUEUES.isdisjoint(app.amqp.queues.consume_from):
        return
    import ingest

    ingest.load_parsers()


@worker_init.connect
def store_worker_pid(**_: object) -> None:
    """Store the pid of the worker for `end_with_the_worker`."""
    global _worker_pid
    _worker_pid = os.getpid()


@worker_process_init.connect
def trace_tasks(**_: object) -> None:
    """Send traces where a setting asks for them."""
    tracing.start("poolmark-worker")


@worker_process_init.connect
def end_with_the_worker(**_: object) -> None:
    """End a reader whose worker died before Celery had the kernel end it with the worker."""
    if _worker_pid not in (0, os.getpid(), os.getppid()):
        os._exit(1)
