"""The workload that an elbencho command line, or the columns of CSV and JSON beside it, give (elbencho --help-all)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any

from ingest.lazy_regex import lazy

_SIZE = lazy(r"(\d{1,15})([KMGTPE]?)[a-z]{0,2}\Z", re.I)
_SHORT_NAMES = {"threads": "t", "size": "s", "block": "b", "dirs": "n", "files": "N"}
_COUNT_OPTIONS = {"t": "threads", "s": "file_size", "b": "block_size", "n": "dirs", "N": "files_per_dir", "iodepth": "iodepth"}
_DEFAULTS = {"threads": 1, "block_size": 1 << 20, "iodepth": 1}  # elbencho --help-all
_SECRET = lazy(r"(--s3(?:key|secret)\"?[= ]\"?)[^\s\"]+")
_ARGUMENT_LETTERS = "tsbnNic"
_ARGUMENT_OPTIONS = (*_COUNT_OPTIONS, "hosts", "timelimit", "configfile")
_COUNT = lazy(r"\d{1,18}\Z")
_PROGRAM = lazy(r'^"[^"]*"')


def parse_size(text: str) -> int | None:
    """Bytes of `4K`, `1g`, `131072`; K is 1024 (numHumanToBytesBinary() of UnitTk.cpp). None if the text is no size."""
    match = _SIZE.match(text)
    return int(match[1]) * 1024 ** " KMGTPE".index(match[2].upper() or " ") if match else None


def read_workload(
    command: str | None,
    counts: Mapping[str, str | None],
    *,
    is_random: bool | None,
    is_direct: bool,
    words: Mapping[str, str | None],
) -> dict[str, Any]:
    """Parameters of a phase in CSV or JSON: its columns, before what the command gives.

    `counts` and `words`: cells by the name of the parameter; those that are missing or damaged are left out.
    """
    params: dict[str, Any] = parse_command(_PROGRAM.sub("elbencho", command)) if command else {"pattern": "unknown"}
    for name, raw in counts.items():
        if raw and _COUNT.match(raw):
            params[name] = int(raw)
    if is_random is not None:
        sequential = params["pattern"] if params["pattern"] == "backward" else "sequential"
        params["pattern"] = "random" if is_random else sequential
    if is_direct:
        params["direct"] = "on"
    return params | {name: word for name, word in words.items() if word}


def parse_command(command: str) -> dict[str, Any]:
    """Parameters that a command line gives, from the word `elbencho` on; of an empty one the pattern is unknown."""
    is_whole = True
    try:
        words = shlex.split(command, comments=True)
    except ValueError:  # an open quote: the command was cut, so that defaults may not hold
        words, is_whole = [word.strip("\"'") for word in command.split()], False
    if not words:
        return {"pattern": "unknown"}
    given = dict(_split_options(words[1:]))
    params: dict[str, Any] = {"command": _SECRET.sub(r"\1***", command.strip())}
    for option, name in _COUNT_OPTIONS.items():
        if option in given and (count := parse_size(given[option])) is not None:
            params[name] = count
        elif is_whole and option not in given and name in _DEFAULTS and not given.keys() & {"c", "configfile"}:
            params[name] = _DEFAULTS[name]
    params["pattern"] = next((word for key, word in (("rand", "random"), ("backward", "backward")) if key in given), "sequential")
    return params | _switches(given)


def _switches(given: Mapping[str, str]) -> dict[str, Any]:
    """Parameters of options that have no number."""
    params: dict[str, Any] = {}
    if given.keys() & {"direct", "gds"}:
        params["direct"] = "on"
    if "mmap" in given:
        params["api"] = "MMAP"
    if given.keys() & {"s3endpoints", "s3key"}:
        params["api"] = "S3"
    if "timelimit" in given:
        params["timelimit"] = given["timelimit"]
    hosts = given.get("hosts", "")
    if hosts and not re.search(r"[\[$`]", hosts):
        params["nodes"] = len(re.findall(r"[^,\s]+", hosts))
    return params


def _split_options(words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Option and argument; long options by their letter if they have one (boost::program_options' Unix style)."""
    waiting = ""  # the option whose argument is the next word
    for word in words:
        if waiting:
            yield waiting, word
            waiting = ""
        elif word.startswith("--"):
            name, _, argument = word[2:].partition("=")
            name = _SHORT_NAMES.get(name, name)
            if argument or name not in _ARGUMENT_OPTIONS:
                yield name, argument
            else:
                waiting = name
        elif word.startswith("-") and len(word) > 1:
            waiting = yield from _split_letters(word[1:])


def _split_letters(word: str) -> Generator[tuple[str, str], None, str]:
    """The options of `-wr`, `-t8`, `-rt`; returns the one whose argument is the next word, or an empty string."""
    for index, letter in enumerate(word):
        if letter not in _ARGUMENT_LETTERS:
            yield letter, ""
        elif argument := word[index + 1 :]:
            yield letter, argument.lstrip("=")
            break
        else:
            return letter
    return ""
