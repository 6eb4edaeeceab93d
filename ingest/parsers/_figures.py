"""Numbers that a tool prints under fixed names, as values; and the command above an output that does not repeat it."""

from __future__ import annotations

from typing import Any, NamedTuple

from ingest.catalogue import METRICS
from ingest.numbers import parse_duration, parse_plain_number, to_base_unit
from ingest.options import TOOLS, command_params, read_command
from ingest.parsers._shell_command import COMMAND_ENDS
from ingest.records import Value
from ingest.text.lines import Text


class PrintedFigure(NamedTuple):
    """What a printed number is. `factor`: base units in one of the printed `unit`."""

    metric: str
    unit: str
    factor: float = 1.0
    stat: str = "sample"

    def of(self, operation: str) -> PrintedFigure:
        """The figure, whose metric is a quantity alone, of an operation."""
        return self._replace(metric=f"{operation}.{self.metric}")

    def value(self, line: int, native: str, raw: str, **rest: Any) -> Value | None:
        """The value printed as `raw`, a number or, in s, a duration; None if it is neither. `rest`: further fields of `Value`."""
        number = parse_plain_number(raw)
        if number is None and self.unit == "s":
            number = parse_duration(raw)
        if number is None:
            return None
        rest |= {"line": line, "metric": self.metric, "native": native, "raw": raw, "raw_unit": self.unit, "stat": self.stat}
        return Value(value=to_base_unit(number, self.factor), unit=METRICS[self.metric].unit, **rest)


class ShownOptions(NamedTuple):
    """The options of the tool's command in a transcript, its line (0 if there is none), and the parameters that follow."""

    line: int
    options: dict[str, str]
    params: dict[str, Any]

    @property
    def depends(self) -> tuple[int, ...]:
        """Its line, for `Value.depends`."""
        return (self.line,) if self.line else ()


def shown_options(text: Text, line: int, tool: str) -> ShownOptions:
    """The command whose output includes the line, if it calls the tool and no heading stands between."""
    command = text.command_for(line)
    if command and any(map(COMMAND_ENDS.match, text.lines[command.line : line - 1])):
        command = None
    words = command.text.replace("|", " | ") if command else ""
    if command is None or not any(word.rpartition("/")[2] in TOOLS[tool].programs.split() for word in words.split()):
        return ShownOptions(0, {}, {})
    params = {**command_params(tool, words), "command": command.text[:400]}
    return ShownOptions(command.line, read_command(tool, words), params)
