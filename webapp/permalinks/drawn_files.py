"""Figures drawn on request: each in a process of its own with limits, two at a time on a machine, and kept on disk for a while.

They are no part of what is frozen: a later version may draw them in another way. The record that they are drawn from is.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from django.conf import settings

from webapp.drawing.order import NO_ROOM, DrawingOrder
from webapp.files import stores
from webapp.permalinks import figure_form
from webapp.permalinks.figure_form import BadForm, FigureForm
from webapp.permalinks.rendering import FrozenFigures, describe_figures

MAX_STORED = 256 << 20
"""Bytes that are kept; the ones that were not asked for longest go first."""
_SLOTS, _WAIT_SECONDS = 2, 15.0
_SECONDS = 60
_TOP = Path(__file__).resolve().parents[2]
_CODE = ("webapp/drawing", "webapp/figures")


class Busy(Exception):
    """As many figures as may be drawn at a time are being drawn."""


class DrawingFailed(Exception):
    """The process that draws ended without a file."""


def draw(frozen: FrozenFigures, form: FigureForm) -> bytes:
    """The file; from disk where it was drawn before. Raises BadForm where there is no room, Busy, DrawingFailed."""
    figures = figure_form.take_part(frozen.figures, form)
    return draw_order(
        DrawingOrder(
            figures=figures,
            stamp=frozen.stamp,
            look=form.look,
            ending=form.ending,
            width=form.width,
            height=form.height,
            dpi=form.dpi,
            description=describe_figures(figures),
            headings=[] if form.part else frozen.headings,
        )
    )


def draw_order(asked: DrawingOrder) -> bytes:
    """The file of an order, as `draw`."""
    order = asked.to_json()
    file = _folder() / f"{hashlib.sha256(_code_version() + order).hexdigest()}.{asked.ending}"
    if (kept := _read(file)) is not None:
        return kept
    with _slot():
        if (kept := _read(file)) is not None:
            return kept
        data = _run(order)
        _keep(file, data)
    return data


def _run(order: bytes) -> bytes:
    """The file that a process of its own draws. Raises BadForm, DrawingFailed."""
    environment = {"PATH": os.environ.get("PATH", "")}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "webapp.drawing.order"],
            input=order,
            capture_output=True,
            cwd=_TOP,
            env=environment,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise DrawingFailed(f"it took more than {_SECONDS} s") from error
    if done.returncode == NO_ROOM:
        raise BadForm(done.stderr.decode().strip().splitlines()[-1])
    if done.returncode or not done.stdout:
        raise DrawingFailed(done.stderr.decode("utf-8", "replace")[-2000:])
    return done.stdout


@contextmanager
def _slot() -> Iterator[None]:
    """One of the places for drawing at the same time on this machine. Raises Busy after a while without one."""
    until = time.monotonic() + _WAIT_SECONDS
    while True:
        for number in range(_SLOTS):
            with open(_folder() / f"slot-{number}.lock", "wb") as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    continue
                yield
                return
        if time.monotonic() > until:
            raise Busy
        time.sleep(0.1)


def _folder() -> Path:
    folder = Path(settings.POOLMARK_DATA) / "drawn"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@lru_cache(maxsize=1)
def _code_version() -> bytes:
    """A digest of the code that draws: what another version drew is drawn anew."""
    digest = hashlib.sha256()
    for folder in _CODE:
        for file in sorted((_TOP / folder).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.digest()


def _read(file: Path) -> bytes | None:
    try:
        data = file.read_bytes()
        os.utime(file)
    except OSError:
        return None
    return data


def _keep(file: Path, data: bytes) -> None:
    """Write the file whole or not at all, and remove the oldest ones beyond the limit. A full disk is no fault of the drawing."""
    try:
        stores.check_space(len(data))
        with tempfile.NamedTemporaryFile(dir=file.parent, suffix=".part", delete=False) as part:
            part.write(data)
        os.replace(part.name, file)
        kept = sorted((stat.st_mtime, stat.st_size, path) for path in file.parent.iterdir() for stat in [path.stat()])
        total = sum(size for _, size, _ in kept)
        for _, size, path in kept:
            if total <= MAX_STORED:
                break
            if path.suffix != ".lock" and path != file:
                path.unlink(missing_ok=True)
                total -= size
    except OSError:
        return
