"""What a sweep's shell script writes in each step: a label to a log, and an output with the number of the step.

    for c in off lz4 gzip-6; do
      n=$((n+1))
      echo "compression=$c" >> bench.csv
      iozone -a -b out$n.xls
    done

The steps are those of a loop or the calls of a function, or are written one below the other (`out1.xls`, `out2.xls`).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.text.lines import Text
from ingest.text.mentions import command_lines, is_shell_script

_NUMBER = lazy(r"(?<!\d)\d{1,4}(?!\d)")  # a number in a file name
_MAX_CHARACTERS, _MAX_LOGS, _MAX_SWEEPS = 1 << 16, 8, 100  # of a script
_MAX_NAME = 255  # characters of a file name or the value of a variable
_VARIABLE = r"\$?\{?(\w+)\}?"
_NEXT = lazy(  # a counter is increased: n=$((n+1)), ((n++)), let n++, n=$(expr $n + 1)
    r"\b(\w+)=(?:\$\(\(\s*\$?\{?\1\}?\s*\+\s*1\s*\)\)|(?:\$\(|`)\s*expr\s+\$\{?\1\}?\s+\+\s+1\s*[)`])"
    r"|(?<!\$)\(\(\s*(?:\+\+(\w+)|(\w+)\s*(?:\+\+|\+=\s*1))\s*\)\)"
    r"|\blet\s+[\"']?(\w+)(?:\+\+|\+=1|=\$?\4\+1)[\"']?"
)
_INCREASED = lazy(r"\$\(\(\s*(?:\+\+(\w+)|(\w+)\+\+)\s*\)\)")  # out$((n++)).xls
_PADDED = lazy(rf"(?:\$\(|`)\s*printf\s+[\"']?%0?\d*[di][\"']?\s+[\"']?{_VARIABLE}[\"']?\s*(?:\)|`)|\$\(\(\s*{_VARIABLE}\s*\)\)")
_COUNTING = lazy(r"\bfor\s*\(\(\s*(\w+)\s*=\s*([01])\s*;[^;]*;\s*(?:\w+\+\+|\+\+\w+|\w+\s*\+=\s*1)\s*\)\)")
_RANGE = lazy(r"(?:\$\(|`)\s*seq (?:-w )?(?:[01] )?[^\s)`]+\s*[)`]|\{0*[01]\.\.[^}.]+\}")
_ASSIGNMENT = lazy(r"([A-Za-z_]\w*)=([^$`]*)\Z")
_USE = lazy(r"\$(?:\{(\w+)\}|(\w+))")
_NUMBERED = lazy(r"([^$]*)\$\{?(\+\+)?(\w+)\}?([^$]*)\Z")  # one variable in a name
_FUNCTION = lazy(r"(?:function\s+)?[\w:-]+\s*\(\s*\)\s*")
_SEPARATORS = frozenset((";", ";;", "&&", "||", "&"))
_LOOPS = frozenset(("for", "while", "until", "select"))


class Sweep(NamedTuple):
    """A script appends labels to `log`, and writes an output PREFIX<number>SUFFIX for each: base names.

    `numbers`: the numbers one by one where the steps are written out; empty where a loop counts from 0 or 1.
    """

    log: str
    prefix: str
    suffix: str
    numbers: tuple[int, ...] = ()


@dataclass(slots=True)
class _Loop:
    """A loop or function. `counters`: variables that rise by 1 in it; `files`: (prefix, variable, suffix) of numbered names."""

    counters: set[str] = field(default_factory=set)
    logs: list[str] = field(default_factory=list)
    files: list[tuple[str, str, str]] = field(default_factory=list)


def find_sweeps(text: Text) -> Sequence[Sweep]:
    """The sweeps of a shell script, () of any other text."""
    if len(text.body) > _MAX_CHARACTERS or not is_shell_script(text):
        return ()
    reader = _ScriptReader()
    for words in _commands(text.body):
        reader.read(words)
    looped = (
        Sweep(log, prefix, suffix)
        for loop in reader.loops
        for log in islice(dict.fromkeys(loop.logs), _MAX_LOGS)
        for prefix, variable, suffix in loop.files
        if variable in loop.counters
    )
    return list(dict.fromkeys(islice(chain(looped, _written_out(reader.steps)), _MAX_SWEEPS)))


class _ScriptReader:
    """Takes the commands of a script in order."""

    def __init__(self) -> None:
        self.loops: list[_Loop] = []
        self.steps: list[tuple[str, str]] = []  # (log, '') of a label, ('', file name) of a name with a number
        self._open: list[_Loop | None] = []  # the loops and functions around the command; None for braces that are neither
        self._values: dict[str, str] = {}  # of variables with a constant value

    def read(self, words: list[str]) -> None:
        if words[0] in _LOOPS:
            self._begin(_Loop(set(_rising_variable(words))))
        elif words[0] == "done" or words[0] == "}":
            if self._open:
                self._open.pop()
        elif words[0] == "{":
            self._begin(None)
        elif words[0] == "function{":
            self._begin(_Loop())
        else:
            self._read_command([self._replace_constants(word) for word in words])

    def _begin(self, loop: _Loop | None) -> None:
        self._open.append(loop)
        if loop is not None:
            self.loops.append(loop)

    def _replace_constants(self, word: str) -> str:
        return _USE.sub(lambda use: self._values.get(use[1] or use[2], use[0]), word)

    def _read_command(self, words: list[str]) -> None:
        loop = next((loop for loop in reversed(self._open) if loop is not None), _Loop())
        if words[0].endswith("=@next"):
            loop.counters.add(words[0].removesuffix("=@next"))
            self._values.pop(words[0].removesuffix("=@next"), None)
        elif (assignment := _ASSIGNMENT.match(words[0])) and len(words) == 1:
            self._assign(assignment[1], assignment[2])
        elif words[0] in ("echo", "printf"):
            logs = list(_logs_of_label(words))
            loop.logs += logs
            self.steps += [(log, "") for log in logs]
        else:
            self._read_names(loop, words)

    def _assign(self, name: str, value: str) -> None:
        """A counter's first value is none of its constants: a number may be increased later."""
        if value.isdecimal() or len(value) > _MAX_NAME:
            self._values.pop(name, None)
        else:
            self._values[name] = value

    def _read_names(self, loop: _Loop, words: list[str]) -> None:
        for name in (_base_name(word.rpartition("=")[2]) for word in words[1:]):
            if len(name) > _MAX_NAME:
                continue
            if numbered := _NUMBERED.match(name):
                loop.files.append((numbered[1], numbered[3], numbered[4]))
                if numbered[2]:
                    loop.counters.add(numbered[3])
            elif _NUMBER.search(name):
                self.steps.append(("", name))


def _commands(body: str) -> Iterator[list[str]]:
    """The words of each command of a script, without quotes; `n=@next` where a counter rises by 1."""
    for _, line, _ in command_lines(body.replace("\\\n", " ").split("\n")):
        line = _COUNTING.sub(r"for \1 in {\2..n}", line)
        line = _NEXT.sub(lambda match: f"{match[match.lastindex or 0]}=@next", line)
        line = _INCREASED.sub(lambda match: f"${{++{match[1] or match[2]}}}", line)
        line = _PADDED.sub(lambda match: f"${{{match[1] or match[2]}}}", line)
        line = _FUNCTION.sub("function", line) if _FUNCTION.match(line) and "{" in line else line
        yield from _split_line(line)


def _split_line(line: str) -> Iterator[list[str]]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|<>")
    lexer.whitespace_split = True
    words: list[str] = []
    try:
        for word in lexer:
            if word in _SEPARATORS:
                yield from [words] if words else []
                words = []
            elif words or word not in ("do", "then", "else", "time", "sudo", "nice"):
                words.append(word)
                if word in ("{", "function{") and len(words) == 1:
                    yield words
                    words = []
    except ValueError:
        return  # a quote that ends on another line
    if words:
        yield words


def _rising_variable(words: list[str]) -> Iterator[str]:
    """The variable of a `for` that counts 0, 1, 2 ... or 1, 2, 3 ..."""
    if words[0] != "for" or len(words) < 4 or words[2] != "in":
        return
    numbers = [int(word) for word in words[3:] if word.isdecimal() and len(word) < 5]
    if _RANGE.fullmatch(" ".join(words[3:])) or (len(numbers) == len(words) - 3 and _counts_up(numbers)):
        yield words[1]


def _logs_of_label(words: list[str]) -> Iterator[str]:
    """The files to which `echo ... >> FILE` and `echo ... | tee -a FILE` write."""
    for before, word, target in zip(words, words[1:], words[2:], strict=False):
        if (word in (">", ">>") and not before.isdecimal()) or (before == "tee" and word == "-a"):
            name = _base_name(target)
            if name and "$" not in name:
                yield name


def _base_name(word: str) -> str:
    return word.rpartition("/")[2]


def _written_out(steps: list[tuple[str, str]]) -> Iterator[Sweep]:
    """Sweeps whose steps are written one below the other: the first output below the first label, the second below the second."""
    for log in islice(dict.fromkeys(log for log, _ in steps if log), _MAX_LOGS):
        for (prefix, suffix), below in _numbers_below_labels(steps, log).items():
            numbers = [number for found in below.values() for number in found]
            if 0 not in below and len(numbers) == len(below) > 1 and _counts_up(numbers):
                yield Sweep(log, prefix, suffix, tuple(numbers))


def _numbers_below_labels(steps: list[tuple[str, str]], log: str) -> dict[tuple[str, str], dict[int, set[int]]]:
    """(prefix, suffix) of file names -> number of labels above -> the numbers in the names there."""
    labels, below = 0, dict[tuple[str, str], dict[int, set[int]]]()
    for label, name in steps:
        labels += label == log
        for prefix, number, suffix in split_at_numbers(name):
            below.setdefault((prefix, suffix), {}).setdefault(labels, set()).add(number)
    return below


class NumberedName(NamedTuple):
    """A file name, divided at a number in it."""

    prefix: str
    number: int
    suffix: str


def split_at_numbers(name: str) -> Iterator[NumberedName]:
    """The name divided at each of its numbers."""
    return (NumberedName(name[: match.start()], int(match[0]), name[match.end() :]) for match in _NUMBER.finditer(name[:_MAX_NAME]))


def _counts_up(numbers: list[int]) -> bool:
    """Whether they are 0, 1, 2 ... or 1, 2, 3 ..."""
    return numbers[0] < 2 and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
