"""The benchmarks that a script runs: command, options and the files to which it writes what they print.

    for fs in ext4 xfs; do
      for i in 1 2 3; do
        bonnie++ -d /mnt/$fs -s 4g -q > bonnie_${fs}_$i.csv
      done
    done

A small part of a shell: plain loops, functions, assignments, arithmetic, redirections, `tee`, branches whose condition is known.
What it cannot know (a loop over the output of a command, an argument of the script) stands as `UNKNOWN` in words and names.
Read: scripts, makefiles, code blocks of documents, lists of commands, and commands at prompts that write to a file.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from operator import add, floordiv, mod, mul, sub
from typing import NamedTuple

from ingest.detect.shell_syntax import KEPT, Node, ScriptParser
from ingest.lazy_regex import lazy
from ingest.text.lines import Text
from ingest.text.mentions import is_prose_name, is_shell_script

UNKNOWN = "\x1a"
"""In place of text that depends on what the script does not show."""
_MAX_CHARACTERS, _MAX_COMMANDS, _MAX_STEPS, _MAX_DEPTH = 1 << 16, 2000, 20_000, 8  # of a script
_MAX_WORDS = 200  # of a loop that is unrolled
_MAX_STAGES, _MAX_VALUE, _MAX_VARIABLES = 20, 4000, 100  # of a pipeline; characters of a variable; variables in a word
_STEP_SIZE, _WORD_SIZE = 200, 20  # characters of a command that are as much work as a step; that a word is as much work as
_NUMBER = lazy(r"\d{1,15}\Z")
_MAKEFILE_NAME = lazy(r"(?i)(?:GNU)?makefile(?:\..*)?\Z|.*\.mk\Z")
_LIST_NAME = lazy(r"(?i)(?:.*[._-])?(?:history|commands?|cmds?|cmdlines?)(?:\.(?:txt|log))?\Z")
_WRAPPERS = frozenset(
    "sudo doas pfexec time gtime nice ionice numactl taskset env timeout stdbuf chrt strace perf mpirun mpiexec orterun prun srun "
    "aprun command exec nohup setsid unbuffer script systemd-run cgexec chroot docker podman singularity apptainer ssh xargs "
    "parallel watch flock".split()
)
_FENCE = lazy(r"\s{0,3}(?:```|~~~)\s*(\S*)")
_SHELL_PROMPT = lazy(r"\s*(?:[\w.@:~/-]{0,60}[$#%]|>)\s+(?=\S)")
_VARIABLE = lazy(r"\$(?:\{(?P<a>\w+|[@*])(?P<rest>[^{}]*)\}|(?P<b>[A-Za-z_]\w*|\d|[@*#?$!]))")
_ASSIGNMENT = lazy(r"([A-Za-z_]\w*)(\+?)=(.*)\Z", re.S)
_BRACES = lazy(r"\{(\d{1,4})\.\.(\d{1,4})\}|\{([^{}\s,]*(?:,[^{}\s,]*)+)\}")
_OPERATION = lazy(r"\s*\(?\s*(\d{1,15})\s*(?:([-+*/%])\s*(\d{1,15})\s*)?\)?\s*\Z")
_OPERATORS: Mapping[str, Callable[[int, int], int]] = {
    "": lambda left, right: left, "+": add, "-": sub, "*": mul, "/": floordiv, "%": mod,
}  # fmt: skip
_MAKE_RULE = lazy(r"[\w./%$(){} -]+:(?!=)[^=]*\Z")
_MAKE_SET = lazy(r"([A-Za-z_]\w*)\s*[:?]?=\s*(.*)\Z")
_JOB_SECTION = lazy(r"^[ \t]*\[[\w.-][\w .-]{0,60}\][ \t]*$", re.M)
_JOB_SETTING = lazy(r"^[ \t]*(?:rw|readwrite|ioengine|bs|blocksize)[ \t]*=", re.M)


_WRITES = lazy(r">|\btee\b|--output|\s-b\s")


class ScriptCommand(NamedTuple):
    """A benchmark that a script runs. `stdout`, `stderr`: the paths of the files that get them; None for what prints the script
    itself. `is_sure`: it runs whenever the script does. `variables`: for the job file that it names."""

    line: int
    tool: str
    text: str
    stdout: str | None
    stderr: str | None
    is_sure: bool = True
    variables: Mapping[str, str] = {}


class Script(NamedTuple):
    """What a text says about runs beside it: the benchmarks of a script, or the lines of a job file."""

    commands: Sequence[ScriptCommand]
    job_lines: Sequence[str] = ()


def find_script(text: Text, tools: Mapping[str, str]) -> Script | None:
    """The script or job file that a text is, None for any other. `tools`: name of a program -> tool."""
    if len(text.body) > _MAX_CHARACTERS:
        return None
    if _JOB_SECTION.search(text.body) and _JOB_SETTING.search(text.body):
        return Script((), text.lines)
    commands = find_script_commands(text, tools) if any(program in text.body for program in tools) else ()
    return Script(commands) if commands else None


def find_script_commands(text: Text, tools: Mapping[str, str]) -> Sequence[ScriptCommand]:
    """The benchmarks that a text runs, in order."""
    shell = _Shell(tools)
    with suppress(_Enough, RecursionError):
        scripts = list(_script_lines(text))
        for lines in scripts or _commands_with_files(text, tools):
            shell.run_lines(lines)
    return shell.commands if scripts else [command for command in shell.commands if command.stdout or command.stderr]


def _commands_with_files(text: Text, tools: Mapping[str, str]) -> Iterator[list[tuple[int, str]]]:
    """The commands at prompts that write to files, each with its line; none where no benchmark is among them."""
    writing = [shown for shown in text.commands if _WRITES.search(shown.text)]
    if any(program in shown.text for shown in writing for program in tools):
        yield from ([(shown.line, shown.text)] for shown in writing)


def _script_lines(text: Text) -> Iterator[list[tuple[int, str]]]:
    """The lines of each script in the text, with their numbers."""
    if _MAKEFILE_NAME.match(text.name):
        yield list(_makefile_lines(text.lines))
    elif is_prose_name(text.name):
        yield from _blocks(text.lines)
    elif is_shell_script(text) or _LIST_NAME.match(text.name):
        yield list(enumerate(text.lines, 1))


def _blocks(lines: Sequence[str]) -> Iterator[list[tuple[int, str]]]:
    """The code blocks of a document; of a block with prompts, the commands behind them."""
    block: list[tuple[int, str]] | None = None
    for number, line in enumerate(lines, 1):
        if fence := _FENCE.match(line):
            if block is not None:
                yield _without_prompts(block)
            block = (
                [] if block is None and fence[1].lower() in ("", "sh", "bash", "shell", "console", "shell-session", "zsh") else None
            )
        elif block is not None:
            block.append((number, line))


def _without_prompts(block: list[tuple[int, str]]) -> list[tuple[int, str]]:
    marks = [(number, line, _SHELL_PROMPT.match(line)) for number, line in block]
    if any(mark and "$" in mark[0] for _, _, mark in marks):
        return [(number, line[mark.end() :]) for number, line, mark in marks if mark]
    return block


def _makefile_lines(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """A makefile as a shell would run all its recipes, in order."""
    for number, line in enumerate(lines, 1):
        if line.startswith("\t"):
            line = re.sub(r"\$\((\w+)\)", r"${\1}", line.strip().lstrip("@-+")).replace("$$", "$")
        elif assignment := _MAKE_SET.match(line):
            value = re.sub(r"\$\((\w+)\)", r"${\1}", assignment[2].strip())
            line = f'{assignment[1]}="{value}"'
        elif _MAKE_RULE.match(line):
            continue
        yield number, line


class _Enough(Exception):
    """The script has more steps than are read."""


@dataclass(slots=True)
class _Output:
    """Where commands print; None: where the script does."""

    stdout: str | None = None
    stderr: str | None = None


class _Shell:
    """Runs nodes; `commands`: the benchmarks so far."""

    def __init__(self, tools: Mapping[str, str]) -> None:
        self.commands: list[ScriptCommand] = []
        self._tools = tools
        self._values: dict[str, str] = {}
        self._arguments: list[str] | None = None  # of the function that runs; None: of the script, unknown
        self._functions: dict[str, list[Node]] = {}
        self._output = _Output()
        self._kept: list[str] = []
        self._steps = self._depth = 0
        self._is_sure, self._has_ended = True, False

    def run_lines(self, lines: Iterable[tuple[int, str]]) -> None:
        self._has_ended = False
        self._run(ScriptParser(lines, self._kept).parse())

    def _run(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            self._steps += 1 + (sum(map(len, node.words)) + len(node.words) * _WORD_SIZE) // _STEP_SIZE
            if self._steps > _MAX_STEPS or len(self.commands) >= _MAX_COMMANDS:
                raise _Enough
            if self._has_ended:
                return
            if node.kind == "command":
                self._pipeline(node.words, node.line)
            elif node.kind == "function":
                self._functions[node.name] = node.bodies[0] if node.bodies else []
            else:
                former = self._output
                self._output = self._redirect(node.after, former)
                {"for": self._loop, "branches": self._branches}.get(node.kind, self._group)(node)
                self._output = former

    def _group(self, node: Node) -> None:
        self._run(node.bodies[0])

    def _loop(self, node: Node) -> None:
        words = [part for word in node.words for part in self._split(word)]
        if len(words) > _MAX_WORDS or any(set("*?") & set(word) for word in words):
            words = [UNKNOWN]
        for word in words:
            self._values[node.name] = word
            self._run(node.bodies[0])

    def _branches(self, node: Node) -> None:
        chosen = self._choose(node)
        if chosen is not None:
            self._run(node.bodies[chosen] if chosen < len(node.bodies) else [])
            return
        before, was_sure, self._is_sure = dict(self._values), self._is_sure, False
        results = [before]
        for body in node.bodies:
            self._values = dict(before)
            self._run(body)
            self._has_ended = False
            results.append(self._values)
        names = {name for result in results for name in result}
        self._values = {
            name: before.get(name, UNKNOWN) if all(result.get(name) == before.get(name) for result in results) else UNKNOWN
            for name in names
        }
        self._is_sure = was_sure

    def _choose(self, node: Node) -> int | None:
        """The branch that runs, or the number of branches for none; None if that is not known."""
        if node.name == "case":
            word = self._expand(node.words[0])
            if UNKNOWN in word:
                return None
            return next(
                (i for i, patterns in enumerate(node.tests) if any(fnmatchcase(word, self._expand(p)) for p in patterns)),
                len(node.bodies),
            )
        for index, test in enumerate(node.tests):
            truth = self._test(test)
            if truth is None:
                return None
            if truth:
                return index
        return len(node.bodies)

    def _test(self, words: Sequence[str]) -> bool | None:
        """Whether a condition holds: a comparison of texts or numbers; None for any other."""
        if list(words) == ["true"]:
            return True
        parts = [self._expand(word) for word in words if word != ";"]
        if len(parts) != 5 or parts[0] not in ("[", "[[", "test") or any(UNKNOWN in part for part in parts):
            return None
        left, operator, right = parts[1:4]
        if operator in ("=", "==", "!="):
            return fnmatchcase(left, right) == (operator != "!=")
        if _NUMBER.match(left) and _NUMBER.match(right) and operator in ("-eq", "-ne"):
            return (int(left) == int(right)) == (operator == "-eq")
        return None

    def _pipeline(self, tokens: Sequence[str], line: int) -> None:
        stages: list[list[str]] = [[]]
        for word in tokens:
            if word in ("|", "|&"):
                stages.append([])
            else:
                stages[-1].append(word)
        for index, stage in enumerate(stages if len(stages) <= _MAX_STAGES else ()):
            self._simple(stage, self._sink(stages[index + 1 :], self._output), line)

    def _sink(self, later: Sequence[list[str]], outer: _Output) -> _Output:
        """Where the output of a stage goes, given the stages after it."""
        stdout = outer.stdout
        for stage in reversed(later):
            words, output = self._take_redirections(stage, _Output(stdout, outer.stderr))
            stdout = output.stdout
            if words[:1] == ["tee"] or words[:2] == ["sudo", "tee"]:
                names = [word for word in words[words.index("tee") + 1 :] if not word.startswith("-")]
                stdout = names[0] if names else stdout
        return _Output(stdout, outer.stderr)

    def _redirect(self, tokens: Sequence[str], outer: _Output) -> _Output:
        """The output of a loop or group, given what stands behind its end."""
        if not tokens:
            return outer
        parts = " ".join(word if word.strip() else "''" for word in tokens)
        stages = [part.split() for part in re.split(r" ?(?<![&>])\|&? ?", parts)][:_MAX_STAGES]
        sink = self._sink(stages[1:], outer)
        return self._take_redirections(stages[0], sink)[1]

    def _take_redirections(self, tokens: Sequence[str], outer: _Output) -> tuple[list[str], _Output]:
        """The expanded words of a command without its redirections, and where it prints."""
        words: list[str] = []
        stdout, stderr = outer.stdout, outer.stderr
        at = 0
        while at < len(tokens):
            word = tokens[at]
            following = self._expand(tokens[at + 1]) if at + 1 < len(tokens) else ""
            if word and set(word) <= set("<>&|") and word not in ("&", "|"):
                descriptor = words.pop() if words and words[-1] in ("1", "2") and word.startswith(">") else ""
                if word.startswith("<"):
                    pass
                elif word == ">&" and following.isdecimal():
                    stdout, stderr = (
                        (stdout, stdout) if descriptor == "2" else (stderr, stderr) if following == "2" else (stdout, stderr)
                    )
                elif word.startswith("&") or (word == ">&" and not descriptor):
                    stdout = stderr = following
                elif descriptor == "2":
                    stderr = following
                else:
                    stdout = following
                at += 2
            else:
                words += self._split(word)
                at += 1
        return words, _Output(stdout, stderr)

    def _simple(self, tokens: Sequence[str], outer: _Output, line: int) -> None:
        words, output = self._take_redirections(tokens, outer)
        while words and words[0] in ("!", "export", "local", "readonly", "declare", "typeset", "eval", "do", "then", "else"):
            del words[0]
        own = dict(self._values)
        while words and (assignment := _ASSIGNMENT.match(words[0])):
            own[assignment[1]] = _limit((own.get(assignment[1], "") if assignment[2] else "") + assignment[3])
            del words[0]
        if not words:
            self._values = own
        elif words[0] == "exec" and len(words) == 1:
            self._output = output
        elif words[0] == "exit" and self._is_sure and not self._depth:
            self._has_ended = True
        elif words[0] == "set" and words[1:2] == ["--"]:
            self._arguments = words[2:]
        elif words[0] in self._functions:
            self._call(self._functions[words[0]], words[1:], output)
        elif nested := _nested_command(words):
            former, self._output = self._output, output
            if self._depth < _MAX_DEPTH:
                self._depth += 1
                self._run(ScriptParser([(line, nested)], self._kept).parse())
                self._depth -= 1
            self._output = former
        else:
            self._benchmark(words, output, line, own)

    def _call(self, body: Sequence[Node], arguments: list[str], output: _Output) -> None:
        if self._depth >= _MAX_DEPTH:
            return
        former = self._arguments, self._output
        self._arguments, self._output, self._depth = arguments, output, self._depth + 1
        self._run(body)
        self._depth -= 1
        self._arguments, self._output = former

    def _benchmark(self, words: list[str], output: _Output, line: int, values: Mapping[str, str]) -> None:
        names = [word.rpartition("/")[2] for word in words]
        start = next((index for index, name in enumerate(names) if name in self._tools), None)
        if start is None or (start and names[0] not in _WRAPPERS):
            return
        if names[0] in ("xargs", "parallel"):
            words = [word.replace("{}", UNKNOWN) for word in words]
        text = " ".join(word if re.fullmatch(r"[^\s'\"\\]+", word) else shlex.quote(word) for word in words)
        variables = dict(values) if names[start] == "fio" else {}
        self.commands.append(
            ScriptCommand(line, self._tools[names[start]], text, output.stdout, output.stderr, self._is_sure, variables)
        )

    def _split(self, word: str) -> list[str]:
        """The words of a word: those of a list that it stands for, else one."""
        text = self._expand(word)
        is_list = _VARIABLE.fullmatch(word) or KEPT.fullmatch(word)
        if (braces := _BRACES.search(text)) and not _ASSIGNMENT.match(text):
            return [text[: braces.start()] + item + text[braces.end() :] for item in _brace_items(braces)[: _MAX_WORDS + 1]]
        return text.split() if is_list and text.split() else [text] if text or not is_list else []

    def _expand(self, word: str) -> str:
        word = KEPT.sub(lambda match: _limit(self._substitute(self._kept[int(match[1])])), word)
        if word.count("$") > _MAX_VARIABLES:
            return UNKNOWN
        return _VARIABLE.sub(lambda match: _limit(self._variable(match)), word) if "$" in word else word

    def _variable(self, match: re.Match[str]) -> str:
        name, rest = match["a"] or match["b"], match["rest"] or ""
        if name in "@*":
            return UNKNOWN if self._arguments is None else " ".join(self._arguments)
        if name.isdecimal():
            arguments = self._arguments
            place = int(name) if _NUMBER.match(name) else 0
            value = None if arguments is None else arguments[place - 1] if 0 < place <= len(arguments) else ""
        else:
            value = self._values.get(name)
        if rest.startswith((":-", "-", ":=", "=")) and not value:
            default = rest.lstrip(":")[1:]
            return self._expand(default) if value is not None or not name.isdecimal() else UNKNOWN
        if rest in ("", "[@]", "[*]") or rest.startswith((":-", "-", ":=", "=", ":?", "?")):
            return UNKNOWN if value is None else value
        return UNKNOWN

    def _substitute(self, text: str) -> str:
        """What a command substitution or an arithmetic expression gives."""
        if text.startswith("(("):
            body = KEPT.sub(lambda match: self._substitute(self._kept[int(match[1])]), text[2:])
            body = re.sub(r"(?<![\w$])\$?\{?([A-Za-z_]\w*)\}?", lambda m: self._values.get(m[1], UNKNOWN), body)
            return _calculate(self._expand(body))
        words = [part for word in text.split() for part in self._expand(word.strip("\"'")).split()]
        if words[:1] == ["seq"] and (numbers := [word for word in words[1:] if _NUMBER.match(word)]) and len(numbers) <= 3:
            first, step = (int(numbers[0]) if len(numbers) > 1 else 1), (int(numbers[1]) if len(numbers) > 2 else 1)
            count = range(first, int(numbers[-1]) + 1, step or 1)
            width = len(numbers[-1]) if "-w" in words else 0
            if len(numbers) == sum(not word.startswith("-") for word in words[1:]) and len(count) <= _MAX_WORDS:
                return " ".join(str(number).zfill(width) for number in count)
        if words[:1] in (["echo"], ["which"]) or words[:2] == ["command", "-v"]:
            return " ".join(words[2 if words[0] == "command" else 1 :])
        return UNKNOWN


def _limit(value: str) -> str:
    """A value that a loop may double each time."""
    return value if len(value) <= _MAX_VALUE else UNKNOWN


def _calculate(text: str) -> str:
    """The value of a number, or of an operation on two."""
    if not (parts := _OPERATION.match(text)):
        return UNKNOWN
    left, right = int(parts[1]), int(parts[3] or 0)
    if (calculate := _OPERATORS.get(parts[2] or "")) is None or (parts[2] in ("/", "%") and not right):
        return UNKNOWN
    return str(calculate(left, right))


def _brace_items(braces: re.Match[str]) -> list[str]:
    if braces[1] is None:
        return braces[3].split(",")
    first, last = int(braces[1]), int(braces[2])
    width = len(braces[1]) if braces[1].startswith("0") else 0
    return [str(number).zfill(width) for number in range(first, last + 1)]


def _nested_command(words: Sequence[str]) -> str:
    """The command in an argument: `bash -c '...'`, `ssh host '...'`."""
    names = [word.rpartition("/")[2] for word in words]
    for index, name in enumerate(names[:-1]):
        if name in ("bash", "sh", "zsh", "dash", "ksh", "su") and any(
            re.fullmatch(r"-\w*c", option) for option in words[index + 1 : -1]
        ):
            return words[-1]
    return words[-1] if names[:1] == ["ssh"] and " " in words[-1].strip() else ""
