"""Feeds the lines of a file to the readers of series, whole or part by part."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cache

from ingest.plugin_api import NOT_OWN, OWN, LineReader, SeriesContext, SeriesReader, find_plugins
from ingest.points import PointStore
from ingest.records import LOST, Doubt
from ingest.text.lines import ShownCommand, Text


@cache
def series_readers() -> tuple[SeriesReader, ...]:
    """The readers of ingest.series, by name."""
    return find_plugins("ingest.series", SeriesReader)


class SeriesFeed:
    """One file. Every line goes to the reader that owned the last one, then to the others until one owns it."""

    def __init__(self, name: str, lines_before: int = 0) -> None:
        self._store = PointStore()
        self._commands: Sequence[ShownCommand] = ()
        self._command_lines: list[int] = []
        self._shift = 0
        self._context = SeriesContext(self._store, name, self._command_of)
        self._readers: dict[str, tuple[SeriesReader, LineReader]] = {}
        self._active: LineReader | None = None
        self._number = lines_before
        self.failures: dict[str, Doubt] = {}
        """Reader -> where it failed."""
        self._last = ""  # the last line that a reader owned
        self._rest = ""  # a last line without line feed

    def add_readers(self, readers: Iterable[SeriesReader]) -> None:
        """Have these readers read from here on."""
        for reader in readers:
            if reader.name not in self._readers and (reader.names is None or reader.names.search(self._context.name.lower())):
                self._readers[reader.name] = reader, reader.open(self._context)

    @property
    def has_readers(self) -> bool:
        """Whether any reader reads."""
        return bool(self._readers)

    @property
    def is_also_parsed(self) -> bool:
        """Whether a parser needs lines that a reader owns."""
        return any(reader.also_parsed for reader, _ in self._readers.values())

    def add_text(self, text: Text) -> int:
        """Take the next lines, as they were before prefixes were removed; the number of lines that no reader owned.

        A line without line feed at the end waits for the end of the file.
        """
        self._commands, self._shift = text.commands, self._number
        self._command_lines = [command.line for command in text.commands]
        strangers = 0
        lines = text.unstripped
        last = len(lines) - 1
        for index, line in enumerate(lines):
            if index == last:
                self._rest = line
                break
            self._number += 1
            if not line or line.isspace():
                continue
            strangers += self._add(line) == NOT_OWN
        return strangers

    def _add(self, line: str) -> int:
        """Give the line to the readers. One that fails reads no further; what it found until then is kept."""
        active = self._active
        found = self._ask(active, line) if active is not None else NOT_OWN
        if found == OWN:
            self._last = line
            return OWN
        for name, (_, reader) in self._readers.items():
            if reader is active or name in self.failures:
                continue
            answer = self._ask(reader, line)
            found = max(found, answer)
            if answer == OWN:
                if active is not None:
                    active.leave()
                self._active, self._last = reader, line
                break
        return found

    def _ask(self, reader: LineReader, line: str) -> int:
        try:
            return reader.feed(line, self._number)
        except MemoryError:
            raise
        except Exception as error:
            name = next(name for name, (_, one) in self._readers.items() if one is reader)
            message = f"The reader of {name} failed: {type(error).__name__}: {error}"[:300]
            self.failures[name] = Doubt(self._number, "parser-failed", message)
            self._active = None
            return NOT_OWN

    def _command_of(self, number: int) -> str:
        """The command whose output holds the line, or that stands on it."""
        line = number - self._shift
        index = bisect_right(self._command_lines, line) - 1
        if index < 0:
            return ""
        command = self._commands[index]
        return command.text if line <= max(command.last, command.line) else ""

    def finish(self) -> list[tuple[SeriesReader, LineReader]]:
        """The readers, after the last line. A last line shorter than the one before it may be cut off."""
        if self._rest and not self._rest.isspace():
            self._number += 1
            is_cut = len(self._rest) < len(self._last)
            self._add(self._rest + LOST if is_cut else self._rest)
            self._rest = ""
        return list(self._readers.values())
