"""Work on several archives at the same time, each in one of some processes, and the connections of a forked process."""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import TypeVar

from django.db import connection, connections

from webapp.infrastructure import children, direct_connection

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_processes(work: Callable[[Item], Result], items: Sequence[Item], jobs: int) -> Iterator[Result]:
    """The results of `work` for each item, in the order of the items, from at most `jobs` processes.

    Inside a transaction all work is in this process: others would not see what it has written.
    """
    jobs = min(jobs, len(items))
    if jobs < 2 or connection.in_atomic_block or "fork" not in multiprocessing.get_all_start_methods():
        yield from map(work, items)
        return
    connection.close()  # processes must not share a connection
    gc.freeze()  # so that garbage collection in a child does not copy the memory of modules
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("fork"), initializer=_start_child, initargs=(os.getpid(),)) as pool:
        yield from pool.map(partial(_work_in_child, work), items)


def _start_child(parent: int) -> None:
    children.die_with_parent()
    if os.getppid() != parent:
        os._exit(1)
    drop_inherited_connections()


def _work_in_child(work: Callable[[Item], Result], item: Item) -> Result:
    """The work; interrupted from the keyboard, the child takes no other item."""
    try:
        return work(item)
    except KeyboardInterrupt:
        os._exit(1)


def drop_inherited_connections() -> None:
    """Drop the inherited connections in a forked process, without closing them on the server, where the parent uses them.

    Closing them before forking is not enough: a thread that runs an event loop has connections of its own for that loop
    (asgiref.local), and the child, which runs none, finds those that the thread had opened before.
    """
    for inherited in connections.all(initialized_only=True):
        inherited.connection = None
    direct_connection.drop_inherited()
