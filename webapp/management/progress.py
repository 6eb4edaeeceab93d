"""How far a command is, on one line: a counter that rewrites itself on a terminal, one plain line elsewhere."""

from __future__ import annotations

from django.core.management.base import OutputWrapper

_TO_LINE_START = "\r\x1b[K"


class ProgressLine:
    """`show` while it lasts, then `end` once. Elsewhere than on a terminal only the title and the end are written."""

    def __init__(self, out: OutputWrapper, title: str) -> None:
        self._out, self._title, self._is_terminal = out, title, out.isatty()
        self._write(f"{title} ...")

    def show(self, text: str) -> None:
        if self._is_terminal:
            self._write(f"{_TO_LINE_START}{self._title}: {text}")

    def end(self, text: str) -> None:
        self._write(f"{_TO_LINE_START}{self._title}: {text}\n" if self._is_terminal else f" {text}\n")

    def _write(self, text: str) -> None:
        self._out.write(text, ending="")
        self._out.flush()
