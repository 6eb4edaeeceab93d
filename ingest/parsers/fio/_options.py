"""Options of a job of fio, as JSON, job files, command lines and the lines of options give them, as parameters.

What a named parameter holds is taken out; every other option that counts stands under `fio.` (ingest/options/).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ingest.lazy_regex import lazy
from ingest.options import MAX_LENGTH, TOOLS, is_default, open_params

TOOL_NAME = "fio"
_TABLE = TOOLS[TOOL_NAME]
_TIMES = frozenset(" ".join(_TABLE.times.values()).split())
_SIZE = lazy(r"(\d+(?:\.\d+)?)([kKmMgGtT]?)(?:i?[bB])?\Z")
_SIZE_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_INPUT_SIZE = lazy(r"(?i)(?<![\w.$])(\d{1,18})([kmgtp])(ib)?b?(?![\w.])")
_TARGETS = lazy(r"(?:\\.|[^:\\]|\\\Z)+")  # names between colons; one within a name has a backslash before it
_DEVICE = lazy(r"/dev/(?!shm/)|\\{2,4}[.?]\\")
_ZEROS = lazy(r"0(?:x0+)?\Z")
_DIRECTIONS = {
    "read": ("read",),
    "write": ("write",),
    "trim": ("trim",),
    "rw": ("read", "write"),
    "trimwrite": ("trim", "write"),
}
_ALL_DIRECTIONS = ("read", "write", "trim")
_DEFAULT_BLOCK = "4096"
_DEFAULT_ENGINE = "psync"
"""Of fio 3 on all systems but Windows, whose paths have backslashes (fio documentation, "I/O engine")."""
_OFF = ("", "0", "none")
_NOT_GIVEN = "not given"
"""In place of a value, where some jobs of a group were run without an option."""


class JobOptions(NamedTuple):
    """Pattern and workload parameters of a job, the line that gives them (0: several or none) and the name if it is given.

    `implied`: parameters with a documented default, with the line of the options among which they are not.
    """

    pattern: str | None
    params: dict[str, Any]
    line: int = 0
    name: str | None = None
    implied: Mapping[str, int] = {}


def moved_directions(pattern: str | None) -> tuple[str, ...]:
    """The directions in which jobs of that pattern move data."""
    return _DIRECTIONS.get((pattern or "").removeprefix("rand"), ())


def parse_size(text: str) -> int | None:
    """Bytes of `4k`, `64M`, `4096B`, `1024KiB`; fio's k is 1024 (kb_base). None if the text is not one whole size."""
    match = _SIZE.match(text)
    if not match or ("." in text and text[-1:] == "B" and "i" not in text):
        return None  # `65.5kB` of kb_base=1000 is rounded
    size = float(match[1]) * 1024 ** _SIZE_POWERS[match[2].lower()]
    return int(size) if size == int(size) else None


def parse_options(given: Mapping[str, str], version: str | None = None, *, whole: int = 0) -> JobOptions:
    """Pattern and workload parameters of options as fio spells them. `whole`: the line at which all options of the job stand,
    so that what is not among them has its default; 0 where some may be unknown."""
    parsed = _parse(tuple(given.items()), version, whole > 0)
    return parsed._replace(params=dict(parsed.params), implied=dict.fromkeys(parsed.implied, whole))


@lru_cache(2000)
def _parse(given: tuple[tuple[str, str], ...], version: str | None, is_whole: bool) -> JobOptions:
    options = _in_bytes({_TABLE.synonyms.get(option, option): value.strip() for option, value in given})
    params: dict[str, Any] = {}
    if (share := options.pop("rwmixwrite", "")).isdecimal() and int(share) <= 100:
        options["rwmixread"] = str(100 - int(share))
    pattern = _take_pattern(options)
    for option, name in (("iodepth", "iodepth"), ("numjobs", "processes")):
        if options.get(option, "").isdecimal():
            params[name] = int(options.pop(option))
    if engine := options.pop("ioengine", ""):
        params["engine"] = engine
    if (size := parse_size(options.get("size", ""))) is not None:
        params["file_size"] = size
        del options["size"]
    _take_block_size(options, params, moved_directions(pattern) or _ALL_DIRECTIONS)
    _take_switches(options, params)
    _take_target(options, params)
    implied = []
    contents = _take_contents(options, is_verified="verify" in params)
    if contents:
        params["contents"] = contents
    elif is_whole and "write" in moved_directions(pattern):
        params["contents"] = "random"
        implied.append("contents")
    if is_whole and pattern:
        missing: dict[str, Any] = {} if {"bs", "bsrange", "bssplit"} & options.keys() else {"block_size": int(_DEFAULT_BLOCK)}
        missing |= {name: 1 for option, name in (("iodepth", "iodepth"), ("numjobs", "processes")) if option not in options}
        if re.match(r"[3-9]", version or "") and "\\" not in params.get("path", ""):
            missing["engine"] = _DEFAULT_ENGINE
        implied += missing.keys() - params.keys()
        params = missing | params
    return JobOptions(pattern, params | open_params(TOOL_NAME, options, version), implied=dict.fromkeys(sorted(implied), 0))


def _in_bytes(options: dict[str, str]) -> dict[str, str]:
    """The options without prefixes whose meaning `kb_base` sets: by default k is 1024 and KiB 1000 (fio, "Units")."""
    is_standard = options.get("kb_base") == "1000"
    if not is_standard and not any("ib" in value.lower() for value in options.values()):
        return options

    def replace(match: Any) -> str:
        base = 1024 if bool(match[3]) == is_standard else 1000
        return str(int(match[1]) * base ** ("kmgtp".index(match[2].lower()) + 1))

    names = options.keys() - _TIMES - {"filename", "directory", "name"}
    return {option: _INPUT_SIZE.sub(replace, value) if option in names else value for option, value in options.items()}


def _take_pattern(options: dict[str, str]) -> str | None:
    """The kind of access; a modifier behind it (`randread:8`, `write:4k`) stays an option."""
    pattern, _, modifier = options.get("rw", "").partition(":")
    if not modifier:
        options.pop("rw", None)
    return {"readwrite": "rw"}.get(pattern, pattern) or None


def _take_block_size(options: dict[str, str], params: dict[str, Any], directions: Sequence[str]) -> None:
    """The size of blocks, where it is one for all directions in which the job moves data."""
    if (span := options.get("bsrange")) is not None:
        options["bsrange"] = span.replace(":", "-")
    if "bs" not in options:
        return
    parts = options["bs"].split(",")[:3]
    parts += [parts[-1]] * (3 - len(parts))
    sizes = {way: parse_size(part or _DEFAULT_BLOCK) for way, part in zip(_ALL_DIRECTIONS, parts, strict=True)}
    moved = {sizes[direction] for direction in (_ALL_DIRECTIONS if "bs_is_seq_rand" in options else directions)}
    if None in sizes.values():
        return
    if len(moved) == 1:
        params["block_size"] = moved.pop()
        del options["bs"]
    else:
        options["bs"] = ",".join(str(size) for size in sizes.values())


def _take_switches(options: dict[str, str], params: dict[str, Any]) -> None:
    """Direct and synchronous I/O, when data are flushed, and how they are verified."""
    buffered, direct = options.pop("buffered", None), options.pop("direct", None)
    if direct is None and buffered is not None:
        direct = "1" if buffered == "0" else "0"
    if direct not in (None, "0", "none"):
        params["direct"] = "on" if direct in ("1", "") else direct
    synchronous = options.pop("sync", "0")
    if synchronous not in ("0", "none"):
        params["sync_mode"] = "on" if synchronous in ("1", "", "sync") else synchronous
    checked = options.pop("verify", "")
    if checked not in _OFF:
        params["verify"] = {"crc32c-intel": "crc32c"}.get(checked, checked)
    flushes = [
        f"{prefix}every {blocks}"
        for option, prefix in (("fsync", ""), ("fdatasync", "fdatasync "))
        if (blocks := options.pop(option, "0")) not in _OFF
    ]
    if options.pop("end_fsync", "0") not in ("0", "none"):
        flushes.append("at the end" if flushes else "on")
    if flushes:
        params["fsync"] = ", ".join(flushes)


def _take_target(options: dict[str, str], params: dict[str, Any]) -> None:
    """The path, for display; whether it is a device or one file of several processes, and how many targets there are.

    Of names that only say where something is, what counts is left: which trace is replayed, whether jobs share files.
    """
    folder, path = options.get("directory"), options.get("filename") or options.get("directory")
    if folder and path and not path.startswith("/") and path != folder:  # fio looks for it there
        path = f"{folder.rstrip('/')}/{path}"
    names = _TARGETS.findall(path or "")
    if path:
        params["path"] = path
    if len(names) > 1:
        options["targets"] = str(len(names))
    if options.get("filetype") in ("block", "char") or (names and all(map(_DEVICE.match, names))):
        options["target"] = "device"
    elif options.get("opendir"):
        options["target"] = "files of a directory"
    elif options.get("filename") and params.get("processes", 1) > 1:
        options["target"] = "one file for all processes"
    if (names_of_files := options.pop("filename_format", None)) is not None:
        shared = [word for word in ("$jobnum", "$filenum") if word not in names_of_files]
        options |= {"filename_format": f"without {' and '.join(shared)}"} if shared else {}
    if "read_iolog" in options:
        options["read_iolog"] = ":".join(name.rpartition("/")[2] for name in _TARGETS.findall(options["read_iolog"]))
    if "mem" in options:
        options["mem"] = options["mem"].partition(":/")[0]


def _take_contents(options: dict[str, str], *, is_verified: bool) -> str:
    """What the buffers hold (fio, "Buffers and memory"; the order of precedence is that of fill_io_buffer() in io_u.c).

    fio fills a buffer once with random data and changes it a little before each write, by default.
    """
    numbers = {name: options.get(name, "0") for name in ("buffer_compress_percentage", "dedupe_percentage")}
    if not all(number.isdecimal() for number in numbers.values()):
        return ""
    compressible, duplicated = (int(number) for number in numbers.values())
    is_zero = options.pop("zero_buffers", "0") != "0" or compressible == 100
    refilled, scrambled = options.pop("refill_buffers", None), options.pop("scramble_buffers", None)
    for name in numbers:
        options.pop(name, None)
    pattern = options.get("buffer_pattern") or options.get("verify_pattern", "")
    words = [f"compressible {compressible} %"] if 0 < compressible < 100 else []
    words += [f"duplicated {duplicated} %"] if duplicated and compressible < 100 else []
    if words:
        return ", ".join([*words, "repeated"] if refilled == "0" else words)
    if pattern and not _ZEROS.match(pattern):
        return "repeated pattern"
    if pattern or is_zero:
        options.pop("buffer_pattern", None)
        return "zeros"
    if refilled not in (None, "0") or is_verified:
        return "random, refilled"
    if scrambled == "0":
        return "random, repeated"
    return "random" if scrambled is not None or refilled is not None else ""


def without_defaults(params: dict[str, Any], version: str | None) -> dict[str, Any]:
    """The parameters without options that have the default of that version, which is printed behind them."""
    if version is None or not any(name.startswith("fio.") for name in params):
        return params
    return {
        name: value
        for name, value in params.items()
        if not (name.startswith("fio.") and is_default(TOOL_NAME, name[len("fio.") :], value, version))
    }


def beside(own: JobOptions, others: Iterable[JobOptions]) -> dict[str, str]:
    """What other jobs did at the same time in other directions, each by its pattern and what it has unlike this one."""
    directions = moved_directions(own.pattern)
    kinds = Counter(
        ", ".join([str(other.pattern), *(f"{name} {value}" for name, value in sorted(_unlike(own.params, other.params)))])
        for other in others
        if other.pattern and moved_directions(other.pattern) != directions
    )
    text = "; ".join(f"{count} x {kind}" if count > 1 else kind for kind, count in sorted(kinds.items()))
    return {"fio.beside": text[:MAX_LENGTH]} if text and directions else {}


def _unlike(own: Mapping[str, Any], other: Mapping[str, Any]) -> set[tuple[str, Any]]:
    names = (own.keys() | other.keys()) - {"path", "contents"}
    return {(name, other.get(name, _NOT_GIVEN)) for name in names if own.get(name) != other.get(name)}


def merge_params(jobs: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The parameters that all of these jobs have; of options in which they differ, the values of all."""
    listed = list(jobs)
    merged = {key: value for key, value in listed[0].items() if all(params.get(key) == value for params in listed[1:])}
    for name in sorted({name for params in listed for name in params if name.startswith("fio.") and name not in merged}):
        values = {value for params in listed for value in params.get(name, _NOT_GIVEN).split(" / ")}
        merged[name] = " / ".join(sorted(values))
    return merged
