"""Outputs kept as one string of JSON, YAML or Python, their line feeds written `\\n`: the lines, below the line they stand on.

Ansible's results (`"stdout": "..."`, `| (stdout) ...` of its one-line form), logs of runners, `repr` of a shell: RFC 8259,
section 7; Python's lexical analysis, string literals. And pages whose lines end in `<br>` alone, or in whose lines a block
of output begins or ends; and parts of mails in base64. The lines that come out have no line of the file to themselves:
`Origins` tells which line holds each, and every record tells that one.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ingest.lazy_regex import lazy
from ingest.records import Evidence, Measurement, Record, Warning
from ingest.text import mail
from ingest.text.line_wrap import JoinedLines

Origins = Sequence[int]  # index of a line -> the line of the file, 1-based

_KEY = (
    r"(?:stdout|stderr|std_?out\w{0,8}|console|output|out|msg|message|log|logs|results?|text|body|data|content|raw|report"
    r"|response|res)"
)
_DOUBLE, _SINGLE = r'"(?:[^"\\\n]|\\.)*"', r"'(?:[^'\\\n]|\\.)*'"
_HELD = lazy(
    rf"""(?:(?P<quote>["']?)\b{_KEY}(?P=quote)\s*(?::|=>)\s*[bu]?|^\s*(?:Out\[\d+\]:\s*)?[bu]?)(?P<string>{_DOUBLE}|{_SINGLE})(?!\s*(?::|=>))"""
    rf"""|["']\w{{0,20}}_lines["']:\s*\[(?P<list>\s*{_DOUBLE}(?:\s*,\s*{_DOUBLE})+)\s*\]"""
    r"""|\|\s+rc=\d+\s+\|\s+\((?:stdout|stderr)\)\s(?P<rest>.*\\n.*)$""",
    re.IGNORECASE,
)
_ONE = lazy(_DOUBLE)
_ESCAPE = lazy(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)")
_MEANT = {"n": "\n", "t": "\t", "r": "\r", "b": "", "f": "", "0": ""}
_PRETTY = lazy(r"_lines[\"']?:? *(?:=> *)?\[[ \t]*$", re.M)  # the same lines follow, each on its own
_ALONE = lazy(r'^[ \t]*"((?:[^"\\\n]|\\.)*)",?[ \t]*$', re.M)
_BREAK = lazy(r"<br ?/?>|</(?:p|div|li)>", re.IGNORECASE)
_FIRST = lazy(r"\A\s*(?:<(?:html|body|p|div|[ou]l|li)(?:\s[^<>]{0,200})?>\s*)+", re.IGNORECASE)  # none else may tell a page
_BROKEN = lazy(r"(?:<br ?/?>[^\n]+){3}", re.IGNORECASE)  # several breaks on one line
_CELL = lazy(r"\s*\||.*<t[dh]\b", re.IGNORECASE)  # in which breaks part nothing
# Where a block of output begins behind something else on its line, and where it ends before something else.
_SEAM = lazy(r"(?i)(?=<pre[ >]|<!\[CDATA\[)|(?<=</pre>)|(?<=\]\]>)")
_TAG = lazy(r"<[^<>]*>")
_LEAST = 2  # line feeds that tell an output from a message


def expand_quoted_strings(body: str) -> tuple[str, Origins | None]:
    """The text with the lines of such strings below the line on which they stand, and the origins of its lines then."""
    broken = "<" in body and _BROKEN.search(body) is not None
    held = "\\n" in body or "_lines" in body
    edged = "</pre>" in body or "<![CDATA[" in body
    mails = mail.find_base64_parts(body) if "ase64" in body or "ASE64" in body else {}
    if not broken and not held and not edged and not mails:
        return body, None
    shown = _shown(body) if held and _PRETTY.search(body) else frozenset()
    out: list[str] = []
    origins = array("q")
    skip = 0
    for number, line in enumerate(body.split("\n"), 1):
        if number <= skip:
            continue
        if number - 1 in mails:
            skip, part = mails[number - 1]
            out += [row for row, _ in part]
            origins.extend([place for _, place in part])
            continue
        new = _held(line, shown) if held and ("\\n" in line or "_lines" in line) else []
        new = new or (_BREAK.split(_FIRST.sub("", line)) if broken and _BROKEN.search(line) and not _CELL.match(line) else [line])
        if edged and ("pre" in line or "]" in line) and _is_edged(line):
            new = [part for one in new for part in _SEAM.split(one) if part or part == one]
        out += new
        origins.extend([number] * len(new))
    return ("\n".join(out), origins) if mails or len(out) > origins[-1] else (body, None)


def _is_edged(line: str) -> bool:
    """Whether a block of output begins behind other words of the line, or ends before some."""
    if line.find("<![CDATA[") > 0 or ("]]>" in line and not line.endswith("]]>")):
        return True
    begins, ends = line.find("<pre"), line.rfind("</pre>")
    beside = (line[:begins] if begins > 0 else "") + (line[ends:] if ends >= 0 else "")
    return bool(_TAG.sub("", beside).strip())


def _shown(body: str) -> frozenset[str]:
    """What the strings hold that stand each alone on a line: a list of the same lines, told beside the string."""
    return frozenset(_meant(found[1]).strip() for found in _ALONE.finditer(body))


def _held(line: str, shown: frozenset[str]) -> list[str]:
    """The line without its strings, and the lines of these but for those that are shown; nothing where none is held."""
    lines: list[str] = []
    rest, at = "", 0
    for found in _HELD.finditer(line):
        if found["list"]:
            new = [_meant(one[0][1:-1]) for one in _ONE.finditer(found["list"])]
        else:
            string = found["string"][1:-1] if found["string"] else found["rest"]
            new = _meant(string).split("\n") if string.count("\\n") >= _LEAST else []
        if len(new) > _LEAST:
            rest, at = rest + line[at : found.start()], found.end()
            told = shown and all(one.strip() in shown for one in new if one.strip())
            lines += ["", *new, ""] if not told and not set(new) <= set(lines) else [""]  # what is told twice is one output
    return [rest + line[at:], *lines] if lines else []


def _meant(string: str) -> str:
    return _ESCAPE.sub(_sign, string) if "\\" in string else string


def _sign(found: re.Match[str]) -> str:
    escape = found[1]
    return chr(int(escape[1:], 16)) if len(escape) > 1 else _MEANT.get(escape, escape)


def restore_origins(
    records: Iterable[Record], origins: Mapping[str, Origins], broken: Mapping[str, JoinedLines]
) -> Iterator[Record]:
    """The records with the lines of the file instead of those of its text, unfolded or put together."""
    for record in records:
        own = origins.get(record.file)
        if isinstance(record, Measurement):
            record.config_from = {key: _place(place, origins) for key, place in record.config_from.items()}
            record.duplicate_of = record.duplicate_of and _place(record.duplicate_of, origins)
            record.cache = record.cache and (record.cache[0], _place(record.cache[1], origins))
        if own and isinstance(record, Measurement | Evidence | Warning) and isinstance(record.line, int):
            joined = broken.get(record.file)
            begins = joined.place(record.line, record.raw) if joined and isinstance(record, Measurement) else None
            record = replace(record, line=begins or own[min(record.line, len(own)) - 1])
        yield record


def _place(place: str, origins: Mapping[str, Origins]) -> str:
    path, _, line = place.rpartition(":")
    own = origins.get(path)
    return f"{path}:{own[min(int(line), len(own)) - 1]}" if own and line.isdecimal() and int(line) else place
