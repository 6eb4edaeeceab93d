"""fio's input as a text shows it: the command above results whose line of options is missing, or the job file.

    fio -ioengine=libaio -bs=4k -rw=randwrite -name=test
    write: io=352204KB, bw=5869.9KB/s, iops=1467, runt= 60002msec

It holds up to the next command, or up to a heading or label that names a pattern, since that begins another run.
Options before the first name are those of every job; `stonewall` and `new_group` begin another group (fio documentation).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ingest.lazy_regex import lazy
from ingest.options import TOOLS, run_under
from ingest.parsers.fio._job import FioJob
from ingest.parsers.fio._options import TOOL_NAME, JobOptions, merge_params, moved_directions, parse_options
from ingest.plugin_api import CommandOptions

_COMMAND = lazy(r"(?:^|[\s$#>;|&(`\"'/])fio\s+(?=-|\w+=)(.{1,2000})")
_OPTION = lazy(
    r"(?:^|\s)(?:--?|(?=[a-z_]{2,30}=))([a-z][\w-]{1,40})(?![\w-])"
    r"(?:(=|\s+(?!-))(?:\"([^\"]{0,200})\"|'([^']{0,200})'|((?:\$\([^()]{0,100}\)|[^\s\"'\\])(?:\$\([^()]{0,100}\)|\S){0,200})))?"
)
_SHELL_WORDS = lazy(  # up to what the shell does with the output
    r"(?:\"[^\"]*\"|'[^']*'|\\.|\$\([^()]*\)|=`[^`]*`|=?\([^()]*\)|<[\w ./-]+>|\s(?!#)|[^\"'\\\s|;&<>()`]|[\"'])*"
)
# Options that take no value behind a blank: `fio --thread job.fio`.
_WITHOUT_VALUE = frozenset(
    f"{TOOLS['fio'].switches} group_reporting new_group stonewall wait_for_previous minimal readonly".split()
)
_WRITTEN_OPTIONS = lazy(r"[\s>|*_`-]*((?:rw|readwrite) ?= ?[a-z]+(?:, ?[a-z_]{2,30} ?= ?[\w.]+)+)[\s*_`]*$")
_FILE_ARGUMENT = lazy(r"\s[\w./~-]+\.(?:fio|job|ini|cfg|conf|txt)\b")
_JOB_NAME = lazy(r"[\w./~-]+\.(?:fio|job|ini|cfg|conf|txt)")
_SECTION = lazy(r"[\s>|]*\[([\w.-][\w .-]{0,60})\]$")
_SETTING = lazy(r"[\s>|]*(?:([a-z][\w-]{1,40})[ \t]*(=[ \t]*(\S.{0,200})?)?|[#;].*)$")
_CONTINUATION = lazy(r"[\s>|]*(?:--?[a-z][\w-]{1,40}[= ]|--[a-z]\w{1,40}$)")  # below a long command that mail wrapped
_OTHER_RUN = lazy(r"^\s{0,3}#{1,6}\s|(?i:\b(?:rand(?:om)?|seq(?:uential)?)[ _-]?(?:read|write|rw)?)\b|随机|顺序")
_OUTPUT_LINE = lazy(r": Laying out IO file|^\W*Jobs: \d")  # contain names of jobs
ALL_CLIENTS = "All clients"  # the sum over the servers of client mode
_ANY_NAME = ""  # a job whose options are written above its result: `rw = randread, bs = 4k, iodepth = 1`
_GLOBAL = "global"  # options of every job
_MAX_LENGTH = 4000


@dataclass(slots=True)
class FioCommand:
    """The last command, job file or written options that the text shows.

    `first_line`, `last_line`, `end_line`: its own lines, and that of the label after which it no longer holds; 0 if there is none.
    `jobs`: name and options of each job.
    """

    first_line: int = 0
    last_line: int = 0
    words: str = ""
    under: str = ""  # a program that changes how fio runs
    is_continued: bool = False  # a backslash at the end of the line
    in_file: bool = False
    is_file: bool = False
    end_line: int = 0
    jobs: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    @property
    def is_open(self) -> bool:
        """Whether a line that begins nothing may still be part of the command, or end it."""
        return self.in_file or self.is_continued or (self.first_line > 0 and not self.end_line)

    @property
    def lines(self) -> tuple[int, ...]:
        """Its lines and the one that ended it."""
        if not self.first_line:
            return ()
        return (*range(self.first_line, self.last_line + 1), *((self.end_line,) if self.end_line else ()))

    def take(self, line: str, number: int) -> bool:
        """Take a line of a job file or command, or of written options; whether it is one. A label of another run ends it."""
        if self._take_file_line(line, number):
            return True
        if self.is_continued or (self.words and number == self.last_line + 1 and _CONTINUATION.match(line)):
            self._take_words(f"{self.words} {line.strip(' >|')}", number)
            return True
        if "fio " in line and (command := _COMMAND.search(line)):
            if self.is_file and not self.end_line and _FILE_ARGUMENT.search(command[1]):
                return False  # it runs the file that is shown above
            self.first_line, self.end_line, self.is_file = number, 0, False
            self.under = run_under(line[: command.start(1)].rpartition(TOOL_NAME)[0])
            self._take_words(command[1], number)
            return True
        if "rw" in line and (written := _WRITTEN_OPTIONS.match(line)):
            self.first_line = self.last_line = number
            self.words, self.end_line, self.is_file, self.is_continued = "", 0, False, False
            self.jobs = [(_ANY_NAME, dict(re.split(" ?= ?", pair) for pair in re.split(", ?", written[1])))]
            return True
        if self.first_line and not self.end_line and _OTHER_RUN.search(line) and not _OUTPUT_LINE.search(line):
            self.end_line = number
        return False

    def _take_words(self, words: str, number: int) -> None:
        """Take the words of the command up to this line; a backslash at their end continues it."""
        self.last_line = number
        self.is_continued = words.endswith("\\") and len(words) < _MAX_LENGTH
        self.words = words.removesuffix("\\").rstrip("`")
        self.jobs = _parse_jobs(self.words, self.under)

    def _take_file_line(self, line: str, number: int) -> bool:
        """Take a line of a job file, `[name]` or a setting below it; whether it is one."""
        if line.endswith("]") and (section := _SECTION.match(line)):
            if not self.in_file:
                self.first_line, self.words, self.is_continued, self.end_line, self.jobs = number, "", False, 0, []
            self.in_file = self.is_file = True
            self.jobs.append((section[1], _global_options(self.jobs)))
        elif self.in_file and (setting := _SETTING.match(line)) and (setting[2] or setting[1] in (None, *_WITHOUT_VALUE)):
            if setting[1]:
                self.jobs[-1][1][setting[1]] = (setting[3] or "").strip()
        else:
            self.in_file = False
            return False
        self.last_line = number
        return True

    def find_job(self, name: str) -> JobOptions | None:
        """The options of the job of that name, or of all clients; None if there is none, or two that differ."""
        if self.end_line:
            return None
        is_sum = name == ALL_CLIENTS
        jobs = [given for own, given in self.jobs if own in (name, _ANY_NAME) or (is_sum and own != _GLOBAL)]
        return _common_options(jobs, self._whole_line)

    def make_job(self, direction: str, number: int, group: str = "") -> FioJob:
        """The job of an excerpt on line `number`: that of the command, else an unnamed one of unknown pattern."""
        jobs = [given for name, given in self.jobs if name != _GLOBAL] or [given for _, given in self.jobs]
        options = None if self.end_line else _common_options(self._jobs_of_group(group) or jobs, self._whole_line)
        if options is None or direction not in moved_directions(options.pattern):
            return FioJob("unnamed", number, depends=self.lines)
        name, params = options.name or "unnamed", dict(options.params)
        job = FioJob(name, number, None, options.pattern, params=params, depends=self.lines, implied=options.implied)
        if len(jobs) > 1:
            job.drop_implied("processes")
        return job

    @property
    def _whole_line(self) -> int:
        """The line of the options where they are all of a job's; 0 where some are written above the result of a job."""
        return 0 if any(name == _ANY_NAME for name, _ in self.jobs) else self.first_line

    def _jobs_of_group(self, group: str) -> list[dict[str, str]]:
        """The job of a group, if there are several jobs and the group has but one."""
        groups = self._groups()
        return groups.get(group, []) if len(groups.get(group, ())) == 1 and len(groups) > 1 else []

    def _groups(self) -> dict[str, list[dict[str, str]]]:
        """The options of the jobs by group."""
        groups: dict[str, list[dict[str, str]]] = {}
        for name, given in self.jobs:
            if name != _GLOBAL:
                ordinal = len(groups) - (bool(groups) and "stonewall" not in given and "new_group" not in given)
                groups.setdefault(str(ordinal), []).append(given)
        return groups

    def count_reports(self, group: str) -> int:
        """The number of jobs of a group that are reported apart, 0 where that is not known."""
        jobs = self._groups().get(group, ()) if not self.end_line else ()
        if any("group_reporting" in given for given in jobs):
            return 1
        counts = [given.get("numjobs", "1") for given in jobs]
        return sum(map(int, counts)) if all(count.isdecimal() for count in counts) else 0


def read_command_line(command: str, version: str | None, job_files: Mapping[str, Sequence[str]]) -> Sequence[CommandOptions]:
    """What a command line that stands apart from the output gives for each job, with the job files that it names."""
    words = command.split()
    start = next((index for index, word in enumerate(words) if word.rpartition("/")[2] == TOOL_NAME), len(words)) + 1
    options, under = " ".join(words[start:]), run_under(" ".join(words[: start - 1]))
    names = [word.rpartition("/")[2] for word in words[start:] if not word.startswith("-") and _JOB_NAME.fullmatch(word)]
    jobs: list[tuple[str, dict[str, str], int, str]] = []
    for name in names:
        if name not in job_files:
            return ()
        shown = FioCommand()
        lines = job_files[name]
        for number, line in enumerate(lines, 1):
            shown.take(line, number)
        sections = {match[1]: number for number, line in enumerate(lines, 1) if (match := _SECTION.match(line))}
        given = _parse_jobs(options, under)[0][1]  # options before a job file are those of every job
        jobs += [(job, given | own, sections.get(job, 1), name) for job, own in shown.jobs]
    jobs += [(job, own, 0, "") for job, own in (_parse_jobs(options, under) if not names else ())]
    return [
        _command_options(name, parse_options(given, version, whole=line or 1), line, file)
        for name, given, line, file in jobs
        if name != _GLOBAL or not any(name != _GLOBAL for name, *_ in jobs)
    ]


def _command_options(name: str, options: JobOptions, line: int, file: str) -> CommandOptions:
    random = "random_" if (options.pattern or "").startswith("rand") else ""
    operations = frozenset(random + direction for direction in moved_directions(options.pattern))
    job = "" if name == _GLOBAL else name
    return CommandOptions(options.params, job, operations, frozenset(options.implied), line, file)


def _global_options(jobs: list[tuple[str, dict[str, str]]]) -> dict[str, str]:
    """The options that hold for every job."""
    return {key: value for name, given in jobs if name == _GLOBAL for key, value in given.items()}


def _parse_jobs(words: str, under: str = "") -> list[tuple[str, dict[str, str]]]:
    """The jobs of a command, each with its name and all its options; options without a name are those of `global`."""
    jobs: list[tuple[str, dict[str, str]]] = [(_GLOBAL, {"under": under} if under else {})]
    command = _SHELL_WORDS.match(words)
    for key, mark, *values in _OPTION.findall(command[0] if command else words):
        value = next((value for value in values if value), "")
        if mark != "=" and key in _WITHOUT_VALUE and value not in ("0", "1"):
            value = ""
        if key == "name" and value and value != _GLOBAL:
            jobs.append((value, {**_global_options(jobs), "name": value}))
        elif key != "name":
            jobs[-1][1][key] = value
    return jobs


def _common_options(jobs: list[dict[str, str]], line: int) -> JobOptions | None:
    """The options of jobs, with the name if they have but one; None if named parameters of theirs differ. `line`: as `whole` of
    `parse_options`."""
    parsed = [parse_options(given, whole=line) for given in jobs]
    if not parsed or any(_named(options) != _named(parsed[0]) for options in parsed[1:]):
        return None
    names = {given.get("name") for given in jobs}
    params = merge_params(options.params for options in parsed)
    return parsed[0]._replace(params=params, name=names.pop() if len(names) == 1 else None)


def _named(options: JobOptions) -> tuple[str | None, dict[str, Any]]:
    """Pattern and named parameters."""
    return options.pattern, {name: value for name, value in options.params.items() if not name.startswith("fio.")}
