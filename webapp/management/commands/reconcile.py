"""Send the tasks of unfinished archives, permalinks and public data again: once, or for ever every few seconds. Of several that run
for ever, on as many machines, one acts, and another one goes on where it ends."""

from __future__ import annotations

import signal
from datetime import timedelta
from threading import Event
from time import monotonic

from django.core.management.base import BaseCommand
from django.db import DatabaseError, InterfaceError, connection
from kombu.exceptions import KombuError as BrokerError

from webapp.bulk import editions
from webapp.files import pieces
from webapp.jobs import hooks
from webapp.jobs.reconciler import TaskResender, find_unread_archives, find_unrendered_permalinks
from webapp.jobs.tasks import (
    ask_permalinks_again,
    deliver_webhook,
    make_public_data,
    render_permalink,
    send_archive,
    sweep_public_data,
)
from webapp.management.commands import partition
from webapp.storage.locks import SchedulerLock

_SWEEP_SECONDS = 600.0
"""Between two searches of the public data as files for what is no longer public, and of the database for what `partition` left and
for uploads in pieces that are too old."""
_MIN_AGE = timedelta(seconds=30)  # the task of a new upload is still in the queue


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = []  # the start has made them; they would load every page

    def add_arguments(self, parser):
        parser.add_argument("--forever", action="store_true", help="until a signal ends it")
        parser.add_argument("--every", type=float, default=5.0, metavar="SECONDS", help="default: %(default)s")

    def handle(self, *, forever, every, **options):
        self.reminder = TaskResender(send_archive, find_unread_archives)
        self.permalinks = TaskResender(render_permalink.delay, find_unrendered_permalinks, first=60.0)
        self.editions = TaskResender(make_public_data.delay, editions.find_unmade, first=60.0)
        self.next_sweep = monotonic()
        if not forever:
            self._send_due(timedelta(0))
            return
        self.lock = SchedulerLock()
        stop = Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        while not stop.is_set():
            try:
                self._act_if_chosen()
            except (DatabaseError, InterfaceError) as error:
                self.stderr.write(f"the database does not answer: {error}")
                connection.close()
            except (BrokerError, OSError) as error:
                self.stderr.write(f"the broker does not answer: {error}")
            stop.wait(every)
        self.lock.release()

    def _act_if_chosen(self) -> None:
        was_held = self.lock.is_held
        if not self.lock.hold():
            return
        if not was_held:
            self.stdout.write("this is the scheduler")
        self._send_due(_MIN_AGE if was_held else timedelta(0))

    def _send_due(self, older_than: timedelta) -> None:
        for pk in self.reminder.round(monotonic(), older_than):
            self.stdout.write(f"archive {pk} is queued again")
        for name in self.permalinks.round(monotonic(), older_than):
            self.stdout.write(f"permalink {name} is queued again")
        for day in self.editions.round(monotonic(), older_than):
            self.stdout.write(f"the public data of {day} are queued again")
        hooks.find_new()
        hooks.send_due(deliver_webhook.delay)
        hooks.send_asking(ask_permalinks_again.delay)
        if monotonic() >= self.next_sweep:
            self.next_sweep = monotonic() + _SWEEP_SECONDS
            if partition.drop_left_check():
                self.stdout.write("the check of ids that a killed `manage.py partition` left is taken away")
            if forgotten := pieces.forget_old():
                self.stdout.write(f"{forgotten} uploads of a day ago that came in pieces are forgotten")
            if stale := editions.find_stale():
                sweep_public_data.delay()
                self.stdout.write(f"the public data of {', '.join(stale)} have what is no longer public: it is taken out")
