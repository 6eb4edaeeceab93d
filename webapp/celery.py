"""The Celery application: ids and JSON through the broker, never pickles."""

import os

from celery import Celery
from celery.signals import worker_init, worker_process_init
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
TRANSPORT_ALIASES["filesystem"] = "webapp.infrastructure.filesystem_broker:Transport"
READING_QUEUE = "celery"  # the queue of archives, see CELERY_TASK_QUEUES
_worker = 0  # the process that forks those that read; 0 where they are not forked

app = Celery("poolmark")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["webapp"])


@worker_init.connect
def load_parsers(**_: object) -> None:
    """Before the processes that read are forked: each would load them when its first archive comes, and somebody waits for it."""
    if READING_QUEUE not in app.amqp.queues.consume_from:
        return
    import ingest

    ingest.load_parsers()


@worker_init.connect
def remember_the_worker(**_: object) -> None:
    """For those that read: see below."""
    global _worker
    _worker = os.getpid()


@worker_process_init.connect
def end_with_the_worker(**_: object) -> None:
    """Celery has the kernel end a reader when its worker dies, but for one whose worker is dead already: it would stay for ever."""
    if _worker not in (0, os.getpid(), os.getppid()):
        os._exit(1)
