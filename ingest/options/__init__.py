"""Options of tools that have no parameter of ours: each counts as part of the workload unless it is known not to.

An option stands in `params` under its tool: `fio.zero_buffers`, `iozone.-e`, `ior.reorderTasks`. The tables say, per tool, what
does **not** count: options without effect on the number, each with its reason and the place in the manual; options that one of
`ingest.keys.PARAMS` holds; and documented defaults, which equal absence. An unknown option counts.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import translate
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

from ingest.lazy_regex import lazy

# The table of a tool is the TOML file of its name beside this module. Lists of names are texts, separated by blanks; lists of
# pairs are `a=1 b=on`.


@dataclass(frozen=True, slots=True)
class Default:
    """A documented default of versions from `first` up to, but not including, `before`; empty: of all."""

    value: str
    first: str = ""
    before: str = ""


@dataclass(frozen=True, slots=True)
class ToolOptions:
    """`manual`: the document that the sections in `without_effect` are of.

    `without_effect`: `reason (section)` -> names or shell patterns, separated by blanks. `named`: options that a named parameter
    holds. `defaults`: option -> its documented defaults. `synonyms`: other spellings -> the option. `sizes`: options, or shell
    patterns, whose values are sizes in bytes, so that `1m` and `1048576` are one value; `times`: those whose values are times, by
    the unit of a bare number (us, ms, s). `switches`: options that are on without a value, and off by default.
    `per_direction`: values for reads, writes and trims, separated by commas. `values`: option -> other spellings of its values.
    `lists`: options whose value is a list, of which each item counts, or not, as `OPTION.ITEM`.

    How its command line is read: `programs`: names of the program. `arguments`: options with an argument, `optional`: those whose
    argument stands in the same word if at all. `paths`: options whose argument is a path, of which the kind counts; separated by
    @ where they are several. `repeats`: switches of which the number counts. `targets`: what counts of the words that are no
    options: `all`, or the `kinds` of them alone. `expands`: options that stand for others; those with a name of their own also
    replace them where all are given. `has_long_words`: long options have one dash as well. `is_bundled`: the first word may be
    letters of options without a dash.
    """

    manual: str
    without_effect: Mapping[str, str] = field(default_factory=dict)
    named: str = ""
    defaults: Mapping[str, tuple[Default, ...]] = field(default_factory=dict)
    synonyms: Mapping[str, str] = field(default_factory=dict)
    sizes: str = ""
    switches: str = ""
    times: Mapping[str, str] = field(default_factory=dict)
    per_direction: str = ""
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    lists: str = ""
    programs: str = ""
    arguments: str = ""
    optional: str = ""
    paths: str = ""
    repeats: str = ""
    targets: str = ""
    expands: Mapping[str, str] = field(default_factory=dict)
    has_long_words: bool = False
    is_bundled: bool = False


def _pairs(text: str) -> dict[str, str]:
    """`a=b c=d` as a mapping."""
    return dict(word.split("=", 1) for word in text.split())


def _read(path: Path) -> ToolOptions:
    """The table of a tool. `defaults`: of all versions, `defaults_by_version`: others; `any_case`: options whose names are written
    in any case."""
    table = tomllib.loads(path.read_text("utf-8"))
    defaults: dict[str, tuple[Default, ...]] = {
        option: (Default(value),) for option, value in _pairs(table.pop("defaults", "")).items()
    }
    for option, by_version in table.pop("defaults_by_version", {}).items():
        defaults[option] = tuple(Default(**default) for default in by_version)
    synonyms = {name.lower(): name for name in table.pop("any_case", "").split()} | _pairs(table.pop("synonyms", ""))
    return ToolOptions(**table, defaults=defaults, synonyms=synonyms)


TOOLS = {path.stem: _read(path) for path in sorted(Path(__file__).parent.glob("*.toml"))}


MAX_LENGTH = 200
"""Characters of a value, and of a name; longer values are cut."""
_STRANGE = lazy(r"[^A-Za-z0-9_.:+@%=/-]")
"""Characters that no name of an option has, as a name is part of addresses and pages."""


@lru_cache(5_000)
def is_option(name: str) -> bool:
    """Whether a parameter is an option under its tool that counts: `fio.zero_buffers`."""
    tool, dot, option = name.partition(".")
    if not dot or not option or tool not in TOOLS or len(name) > MAX_LENGTH or _STRANGE.search(option):
        return False
    return _not_counted(tool).match(option) is None


@cache
def _not_counted(tool: str) -> re.Pattern[str]:
    """What the options that do not count match."""
    table = TOOLS[tool]
    words = " ".join((*table.without_effect.values(), table.named)).split()
    return re.compile("|".join(map(translate, words)) or r"(?!)")


def open_params(tool: str, options: Mapping[str, str], version: str | None = None) -> dict[str, str]:
    """The options that count, by their names as parameters, from those that were given (empty value: a switch)."""
    counted: dict[str, str] = {}
    for given, value in options.items():
        found = _count(tool, given, value[:_MAX_READ], version)
        if found is not None:
            counted[found[0]] = found[1]
    return counted


@lru_cache(20_000)
def _count(tool: str, given: str, value: str, version: str | None) -> tuple[str, str] | None:
    """Name and value as a parameter of one option that was given; None if it does not count."""
    table = TOOLS[tool]
    option = _STRANGE.sub("_", table.synonyms.get(given, given))[: MAX_LENGTH - len(tool) - 1]
    name = f"{tool}.{option}"
    if option in table.lists.split():
        value = ",".join(sorted(item for item in value.split(",") if item and is_option(f"{name}.{item}")))
        if not value:
            return None
    if not is_option(name):
        return None
    text = _spell(tool, option, value)
    return None if is_default(tool, option, text, version) else (name, text)


_WRAPPERS = frozenset("cgexec chrt cpulimit eatmydata ionice nice nocache numactl perf prlimit strace systemd-run taskset".split())
_ARGUMENT = lazy(r"-\S+|[\d,:.x-]+|sudo|doas|time|env|stat|record")
_LIMIT = lazy(  # what feeds a pipeline no faster than it is told
    r"(?:\A|[|;&(])\s*(pv|mbuffer|throttle)\b(?=[^;&()]*\|)[^|;&()]*?\s(-\w*L|--rate-limit|-[rR])(?:[ =]|\b)?\s*(\d[\w.]*)"
)


def run_under(prefix: str) -> str:
    """The programs before a tool on its command line that change how it runs: its priority, processors, limits, flushes."""
    part = re.split(r"[;&|(]", prefix[-_MAX_READ:])[-1]
    try:
        words = shlex.split(part)
    except ValueError:
        words = part.split()
    if words and words[-1].endswith("/"):
        words.pop()
    first = next((index for index, word in enumerate(words) if word in _WRAPPERS), len(words))
    known = (
        word in _WRAPPERS or _ARGUMENT.fullmatch(word) or (before[0] == "-" and "=" not in before)
        for before, word in pairwise(words[first:])
    )
    return " ".join(words[first:])[:MAX_LENGTH] if all(known) else ""


def programs_beside(tool: str, command: str) -> dict[str, str]:
    """The parameter of the programs on a command line that change how its tool runs, or limit its pipeline; fio reads its own."""
    if tool not in TOOLS or tool == "fio":
        return {}
    name = re.search(rf"(?:\A|[\s/(]){re.escape(tool)}(?=\s)", command[:_MAX_READ])
    limit = _LIMIT.search(command[:_MAX_READ]) if name else None
    limited = " ".join(limit.groups()) if limit and limit[1] != tool else ""
    programs = [run_under(command[: name.start() + 1]) if name else "", limited]
    return {f"{tool}.under": " | ".join(filter(None, programs))} if any(programs) else {}


def is_default(tool: str, option: str, value: str, version: str | None) -> bool:
    """Whether an option has the value that it has in that version without being given; switches are off."""
    table = TOOLS[tool]
    defaults = table.defaults.get(option) or ((_OFF,) if option in table.switches.split() else ())
    return any(value == default.value and _is_of(default, version) for default in defaults)


_OFF = Default("0")
_MAX_READ = 2000
_TRUTH = {"true": "1", "yes": "1", "on": "1", "false": "0", "no": "0", "off": "0"}
_SIZE = lazy(r"(?<![\w.$])(\d{1,18})(\.\d{1,9})?(?:([kmgtp])(?:i?b)?|b)(?![\w.])", re.I)
_TIME = lazy(r"(?<![\w.$])(\d{1,18}(?:\.\d{1,9})?)(us|usec|ms|msec|s|sec|m|min|h|d)?(?![\w.])", re.I)
_MICROSECONDS = {"us": 1, "ms": 1000, "s": 10**6, "m": 60 * 10**6, "h": 3600 * 10**6, "d": 86400 * 10**6}
_DECIMAL = lazy(r"\d{1,15}\.\d{1,9}")


def _spell(tool: str, option: str, value: str) -> str:
    """The value in one spelling: sizes in bytes, times in the unit of a bare number, switches 1 and 0."""
    table, text = TOOLS[tool], " ".join(value.split())
    if option in table.switches.split():
        text = _TRUTH.get(text.lower(), text)
    elif (unit := _unit_of(tool, option)) is not None:
        text = _TIME.sub(lambda match: _spell_time(match[1], (match[2] or unit).lower(), unit), text)
    elif has_size(tool, option):
        text = _SIZE.sub(_spell_size, text)
    if option in table.per_direction.split():
        text = _spell_directions(text)
    if _DECIMAL.fullmatch(text):
        text = f"{float(text):.9f}".rstrip("0").rstrip(".")
    return table.values.get(option, {}).get(text, text)[:MAX_LENGTH] or "1"


@lru_cache(5_000)
def _unit_of(tool: str, option: str) -> str | None:
    return next((unit for unit, options in TOOLS[tool].times.items() if option in options.split()), None)


@cache
def _sizes(tool: str) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, TOOLS[tool].sizes.split())) or r"(?!)")


def has_size(tool: str, option: str) -> bool:
    """Whether the values of an option are sizes in bytes."""
    return _sizes(tool).match(option) is not None


def _spell_size(match: re.Match[str]) -> str:
    """`4k`, `1.5g`, `512b` in bytes; as it is, where that is no whole number."""
    size = float(match[1] + (match[2] or "")) * 1024 ** ("kmgtp".index(match[3].lower()) + 1 if match[3] else 0)
    return str(int(size)) if size == int(size) else match[0]


def _spell_time(number: str, given: str, unit: str) -> str:
    given = {"usec": "us", "msec": "ms", "sec": "s", "min": "m"}.get(given, given)
    time = float(number) * _MICROSECONDS[given] / _MICROSECONDS[unit]
    return f"{time:.9f}".rstrip("0").rstrip(".") + (unit if time else "")


def _spell_directions(text: str) -> str:
    """`1m,500k` for reads, writes and trims: the last one holds for those behind it, unless it ends in a comma."""
    parts = text.split(",")
    if len(parts) > 3:
        return text
    parts += [parts[-1]] * (3 - len(parts))
    if parts[1] == parts[2]:
        parts.pop()
    return parts[0] if len(set(parts)) == 1 else ",".join(parts)


def _is_of(default: Default, version: str | None) -> bool:
    if not (default.first or default.before):
        return True
    if version is None:
        return False
    number = _numbers(version)
    return _numbers(default.first) <= number and (not default.before or number < _numbers(default.before))


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d{1,18}", version)]


# Command lines.

_DIRECTIVES = "-O"
"""IOR's option whose argument is a list of others: `-O reorderTasks=1,keepFile=1`."""
_SHELL = frozenset(";|&<>()")
_SOURCES = {"/dev/null": "null", "/dev/zero": "zeros", "/dev/urandom": "urandom", "/dev/random": "random", "-": "pipe"}
_DEVICE = lazy(r"/dev/(?!shm/|fd/|std)|\\\\[.?]\\PhysicalDrive", re.I)
_REMOTE = lazy(r"[\w.@-]{2,}:(?!\\)|\[|\w+://")
_QUOTING = lazy(r"[\"'\\]")
_WORD = lazy(r"[();<>|&]+|[^ \t\r\n();<>|&]+")
_DIGITS = lazy(r"\d{1,18}")


@lru_cache(2000)
def command_params(tool: str, command: str, version: str | None = None) -> Mapping[str, str]:
    """The options that count of a command line, by their names as parameters. Cached; the result must not be modified."""
    return open_params(tool, read_command(tool, command), version)


def read_command(tool: str, command: str) -> dict[str, str]:
    """The options of the first call of the tool in a command line, by their usual names; a switch has the value `1`.

    Of paths the kind counts and their number: `file`, `device`, `2 files`. Options that stand for several (`rsync -a`) are
    named as such however they are written (`-rlptgoD`).
    """
    table, given, targets = TOOLS[tool], dict[str, list[str]](), list[str]()
    for option, value in _options_of(table, _words_of(table, command)):
        if not option:
            targets.append(value)
        elif option.startswith("no-") and option[3:] in given:
            del given[option[3:]]
        else:
            for single, _, own in (word.partition("=") for word in table.expands.get(option, option).split()):
                given.setdefault(single, []).append(own or value)
    if kinds := _kinds_of(table, targets):
        given["target"] = [kinds]
    return _named_together(table, {option: _joined(table, option, values) for option, values in given.items()})


def kind_of(path: str) -> str:
    """What a path is by its name: `file` (or directory), `device`, `pipe`, or which device gives or takes anything."""
    return _SOURCES.get(path) or ("device" if _DEVICE.match(path) else "file")


def split_words(command: str) -> list[str]:
    """The words and operators of a command line as a shell splits it; words of prose where a quotation mark stays open."""
    if _QUOTING.search(command) is None:  # most; the lexer takes 20 times as long
        return _WORD.findall(command)
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        return list(lexer)
    except ValueError:
        return [word.strip("\"'`") for word in command.split()]


def _words_of(table: ToolOptions, command: str) -> list[str]:
    """The words behind the name of the program, up to the end of its command."""
    words = split_words(command)
    names = table.programs.split()
    first = next((at for at, word in enumerate(words) if word.rpartition("/")[2].removesuffix(".exe") in names), 0)
    end = next((at for at in range(first, len(words)) if words[at] and _SHELL.issuperset(words[at])), len(words))
    is_redirected = first < end < len(words) and words[end][0] in "<>" and words[end - 1] in ("1", "2")
    return _unbundled(table, words[first + 1 : end - is_redirected])


def _unbundled(table: ToolOptions, words: list[str]) -> list[str]:
    """`cbf 20 x.tar` as `-c -b20 -fx.tar`."""
    if not (table.is_bundled and words and words[0].isalpha()):
        return words
    arguments, rest = table.arguments.split(), words[1:]
    options = []
    for letter in words[0]:
        has_argument = table.synonyms.get(f"-{letter}") in arguments and rest
        options.append(f"-{letter}{rest.pop(0) if has_argument else ''}")
    return options + rest


def _options_of(table: ToolOptions, words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Option and argument; of a word that is no option an empty one and the word."""
    arguments, waiting = frozenset(table.arguments.split()), ""
    for word in words:
        name, has_value, value = word.lstrip("-").partition("=")
        option = table.synonyms.get(name, name)
        if waiting:
            yield from _with_directives(table, waiting, word)
            waiting = ""
        elif len(word) > 2 and (word.startswith("--") or (table.has_long_words and word[0] == "-" and name in table.synonyms)):
            if has_value or option not in arguments:
                yield option, value
            else:
                waiting = option
        elif word[:1] == "-" and len(word) > 1:
            waiting = yield from _letters_of(table, arguments, word[1:])
        else:
            yield "", word


def _letters_of(table: ToolOptions, arguments: frozenset[str], letters: str) -> Generator[tuple[str, str], None, str]:
    """The options of `-wr`, `-t8`, `-+n`; returns the one whose argument is the next word, or an empty string."""
    at, optional = 0, table.optional.split()  # `-f#`: only if it is a number
    while at < len(letters):
        size = 2 if letters[at] == "+" else 1
        letter, rest = f"-{letters[at : at + size]}", letters[at + size :]
        option = table.synonyms.get(letter, letter)
        if option in arguments or option in optional or (f"{option}#" in optional and rest[:1].isdecimal()):
            if not rest and option in arguments:
                return option
            yield from _with_directives(table, option, rest.removeprefix("="))
            return ""
        yield option, ""
        at += size
    return ""


def _with_directives(table: ToolOptions, option: str, value: str) -> Iterator[tuple[str, str]]:
    if option != _DIRECTIVES:
        yield option, value
        return
    for directive in value.split(","):
        name, _, own = directive.partition("=")
        yield table.synonyms.get(name.lower(), name), own if own != "1" else ""


def _joined(table: ToolOptions, option: str, values: list[str]) -> str:
    """The values of an option in one text."""
    if option in table.paths.split():
        return count_kinds([path for value in values for path in value.split("@")])
    if not any(values):
        return str(len(values)) if option in table.repeats.split() else "1"
    if all(map(_DIGITS.fullmatch, values)):
        values = sorted(dict.fromkeys(values), key=int)
    return ",".join(values)


def _kinds_of(table: ToolOptions, targets: list[str]) -> str:
    if table.targets == "all" and targets:
        return "" if (counted := count_kinds(targets)) == "file" else counted
    kinds = {"remote" if _REMOTE.match(target) else kind_of(target) for target in targets}
    return ", ".join(sorted(kinds - {"file"})) if table.targets else ""


def count_kinds(paths: Sequence[str]) -> str:
    """What paths are by their names, with their number if there are several: `file`, `2 devices`."""
    kinds = [kind_of(path) for path in paths]
    return kinds[0] if len(kinds) == 1 else f"{len(kinds)} {max(kinds, key=kinds.count)}s"


def _named_together(table: ToolOptions, given: dict[str, str]) -> dict[str, str]:
    """The options with those that stand for several in place of these where all are there."""
    for option, together in table.expands.items():
        parts = [word.partition("=") for word in together.split()]
        if not option.startswith("-") and all(
            value in given.get(name, "").split(",") if value else name in given for name, _, value in parts
        ):
            given = {name: value for name, value in given.items() if name not in {part[0] for part in parts}} | {option: "1"}
    return given
