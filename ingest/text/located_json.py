"""JSON with the line of every value, as it occurs in a log, damaged or not.

Python's json gives no positions and nothing at all for a truncated document. This parser keeps the printed text of each
number, skips what it cannot parse, and closes at the end what was left open (RFC 8259). Of a long text, the elements of
its main arrays are parsed one by one on iteration (`LazyArray`).
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from sys import intern
from typing import Any

from ingest.lazy_regex import lazy
from ingest.records import Doubt
from ingest.text.lines import Text

_TOKEN = lazy(
    r'\s*(?:(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<mark>[{}\[\],:])'
    r"|(?P<word>-?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|inf|nan|NaN|Infinity)|true|false|null)\b)"
)
_OPEN = lazy(r"^[ \t]*\{", re.M)
_COLON = lazy(r"\s*:")
_COUNTS = lazy(r'\{\s*(?:"\d{1,20}"\s*:\s*\d{1,20}\s*(?:,\s*(?=")|(?=\})))*+\}')  # an object of counts, as histograms are
_ROW = lazy(r"\s*(?=\{)")
_NEXT_ROW = lazy(r"\s*,\s*(?=\{)")
_LONG = 1 << 20  # characters of a text beyond which rows are parsed lazily
_skip_value = json.JSONDecoder(parse_float=str, parse_int=str).raw_decode
_MAX_FAULTS = 20
_HEAD = 20_000  # characters of an object that are searched for its first key
_MAX_DEPTH = 100


@dataclass(slots=True)
class LocatedValue:
    """A value with the line on which it begins; `raw` is empty for an object whose brace is missing.

    `value`: dict of LocatedValues, list of LocatedValues, str, float, bool or None.
    """

    line: int
    raw: str
    value: Any

    def get(self, *path: str) -> LocatedValue | None:
        """The value at a path of keys, None if one is missing."""
        node: LocatedValue | None = self
        for key in path:
            node = node.value.get(key) if node is not None and isinstance(node.value, dict) else None
        return node

    def text(self, *path: str) -> str | None:
        """The string or the printed number at a path of keys, None if there is none."""
        node = self.get(*path)
        if node is None or isinstance(node.value, dict | list):
            return None
        return node.value if isinstance(node.value, str) else node.raw

    def items(self) -> list[LocatedValue]:
        """The elements of an array, empty for other values."""
        return self.value if isinstance(self.value, list) else []


class LazyArray(list[LocatedValue]):
    """The elements of an array of a long text. Those at `offsets` are well-formed and parsed anew on each iteration; the list
    itself contains only those after them.
    """

    def __init__(self, read: Callable[[int], LocatedValue]) -> None:
        super().__init__()
        self._read = read
        self.offsets = array("q")

    def __len__(self) -> int:
        return len(self.offsets) + super().__len__()

    def __iter__(self) -> Iterator[LocatedValue]:
        yield from map(self._read, self.offsets)
        yield from super().__iter__()


@dataclass(slots=True)
class LocatedDocument:
    """One top-level object. `faults`: (line, error); `last`: its last line."""

    root: LocatedValue
    last: int
    faults: list[tuple[int, str]] = field(default_factory=list)


def find_documents(
    text: Text, first: str, opening: str | None = None, *, rows: Collection[str] = (), counts: str | None = None
) -> Iterator[LocatedDocument]:
    """Every object that begins with the key `opening` (else `first`), at any place: in a list, in an enclosing object, after other
    text of a log. Also every object that begins a line and has the key `first` in its first 20,000 characters, so that one whose
    first line is missing is found too.

    `rows`: keys of arrays that are `LazyArray`s in a long text (their `faults` are added on iteration). `counts`: the key of
    histograms, whose content is skipped.
    """
    direct_pattern = re.compile(r'\{\s*"' + re.escape(opening or first) + r'"\s*:')
    position, key_position = 0, -1
    body, direct_match = text.body, direct_pattern.search(text.body)
    while (match := _OPEN.search(body, position)) or direct_match:
        start = match.end() - 1 if match else len(body)
        if direct_match and direct_match.start() < position:
            direct_match = direct_pattern.search(body, position)
            continue
        if key_position < min(start, direct_match.start() if direct_match else start):
            key_position = body.find(f'"{first}"', min(start, direct_match.start() if direct_match else start))
        if key_position < 0:
            return
        if direct_match and (direct_match.start() <= start or direct_match.start() <= key_position):
            start = direct_match.start()  # a brace before it is that of an enclosing object
        elif key_position > start + _HEAD:
            position = start + 1
            continue
        document, end = _DocumentParser(text, start, rows if len(body) > _LONG else (), counts).read()
        if document is not None:
            yield document
        position = max(end, start + 1)


class _DocumentParser:
    """One pass over the tokens from an opening brace."""

    def __init__(self, text: Text, start: int, rows: Collection[str], counts: str | None) -> None:
        self.text, self.position, self.rows, self.counts = text, start, rows, counts
        self.stack: list[LocatedValue] = []
        self.keys: list[str | None] = []
        self.key: str | None = None
        self.faults: list[tuple[int, str]] = []
        self.root: LocatedValue | None = None

    def read(self) -> tuple[LocatedDocument | None, int]:
        """(the document or None, the offset after it)."""
        body, line, end = self.text.body, 0, -1
        while self.position < len(body):
            match = _TOKEN.match(body, self.position)
            if not match:
                if not body[self.position :].strip() or not self.skip():
                    break
                continue
            token_kind = match.lastgroup or ""
            start = match.start(token_kind)
            self.position = match.end()
            if start > end:  # the token is on a later line than the one before
                line, end = self.text.line_at(start), body.find("\n", start)
                end = end if end >= 0 else len(body)
            self.take_token(match[token_kind], token_kind, line)
            if self.root is not None and not self.stack:
                return self.done()
            if len(self.stack) > _MAX_DEPTH or len(self.faults) > _MAX_FAULTS:
                break
        if self.root is None or not self.root.value:
            return None, self.position
        self.fault(self.text.line_at(max(self.position - 1, 0)), "the object is not closed")
        return self.done()

    def done(self) -> tuple[LocatedDocument, int]:
        assert self.root is not None
        return LocatedDocument(self.root, self.text.line_at(max(self.position - 1, 0)), self.faults), self.position

    def fault(self, line: int, message: str) -> None:
        self.faults.append((line, message))

    def skip(self) -> bool:
        """Skip the rest of a line that is no JSON; False after too many faults."""
        body = self.text.body
        begin = (
            self.position
            + len(body[self.position : self.position + 10_000])
            - len(body[self.position : self.position + 10_000].lstrip())
        )
        self.fault(self.text.line_at(begin), "not JSON")
        end = body.find("\n", begin)
        self.position = end if end >= 0 else len(body)
        self.key = None
        return len(self.faults) <= _MAX_FAULTS

    def take_token(self, token: str, kind: str, line: int) -> None:
        """Process one token."""
        if kind == "mark":
            self.take_mark(token, line)
        elif kind == "string" and not self.is_in_array() and self.key is not None and self.is_before_colon():
            self.fault(line, f"the key {self.key[:40]!r} has no value")
            self.key = intern(self.string(token))
        elif (kind == "string" and self.key is None and not self.is_in_array()) or (
            kind == "string" and self.begins_lost_object(line)
        ):
            self.key = intern(self.string(token))
        else:
            self.put(LocatedValue(line, token, self.string(token) if kind == "string" else _literal(token)), line)

    def begins_lost_object(self, line: int) -> bool:
        """In an array: whether a key follows, so that the opening brace of its object is missing."""
        if not self.is_in_array() or not self.is_before_colon():
            return False
        self.fault(line, "a key without the brace before it")
        self.open(LocatedValue(line, "", {}), line)
        return True

    def is_before_colon(self) -> bool:
        """Whether a colon follows, so that the last token is a key."""
        return bool(_COLON.match(self.text.body, self.position, self.position + 40))

    def is_in_array(self) -> bool:
        return bool(self.stack) and isinstance(self.stack[-1].value, list)

    def take_mark(self, token: str, line: int) -> None:
        """Process one of `{}[],:`."""
        if token in "{[":
            if self.counts and self.key == self.counts and (match := _COUNTS.match(self.text.body, self.position - 1)):
                self.put(LocatedValue(line, token, {}), line)
                self.position = match.end()
                return
            if self.stack and not self.is_in_array() and self.key is None:
                self.fault(line, "the object before is not closed")
                if len(self.stack) > 1 and isinstance(self.stack[-2].value, list):
                    self.stack.pop()
            self.open(LocatedValue(line, token, {} if token == "{" else self.new_array()), line)
        elif token in "}]":
            self.close(token, line)
        elif token == ",":
            self.key = None

    def new_array(self) -> list[LocatedValue]:
        """The list for the array that opens here; of rows, the well-formed ones are skipped, to be parsed on iteration."""
        if self.key not in self.rows or len(self.stack) != 1:
            return []
        rows, body = LazyArray(self.parse_row), self.text.body
        match = _ROW.match(body, self.position)
        try:
            while match:
                end = _skip_value(body, match.end())[1]
                rows.offsets.append(match.end())
                self.position, match = end, _NEXT_ROW.match(body, end)
        except (ValueError, RecursionError):
            pass  # the token loop reports the fault
        return rows

    def parse_row(self, start: int) -> LocatedValue:
        """One of the skipped rows. Its faults are added as if it had been parsed in place."""
        parser = _DocumentParser(self.text, start, (), self.counts)
        parser.read()
        self.faults += [fault for fault in parser.faults if fault not in self.faults]
        assert parser.root is not None
        return parser.root

    def open(self, node: LocatedValue, line: int) -> None:
        if self.root is None:
            self.root = node
        else:
            self.put(node, line)
        self.stack.append(node)
        self.key = None

    def close(self, token: str, line: int) -> None:
        wanted = dict if token == "}" else list
        while self.stack and not isinstance(self.stack[-1].value, wanted) and len(self.stack) > 1:
            self.fault(line, "something before is not closed")
            self.stack.pop()
        if self.stack:
            self.stack.pop()
        self.key = None

    def put(self, node: LocatedValue, line: int) -> None:
        parent = self.stack[-1] if self.stack else None
        if parent is None:
            return
        if isinstance(parent.value, list):
            parent.value.append(node)
        elif self.key is None:
            self.fault(line, "a value without a key")
            self.drop_split_number(parent.value, node.raw)
        elif self.key in parent.value:
            if node.raw != parent.value[self.key].raw or isinstance(node.value, dict | list):
                self.fault(line, f"the key {self.key[:40]!r} appears twice")
        else:
            parent.value[self.key] = node
        self.key = None

    def drop_split_number(self, members: dict[str, LocatedValue], raw: str) -> None:
        """Remove the number before a comma that digits follow at once: a decimal comma, which JSON does not print."""
        comma = self.position - len(raw) - 1
        if members and raw[:1].isdecimal() and self.text.body[comma : comma + 1] == ",":
            key, last = next(reversed(members.items()))
            if isinstance(last.value, float) and self.text.body.startswith(last.raw, comma - len(last.raw)):
                del members[key]

    @staticmethod
    def string(token: str) -> str:
        if "\\" not in token:
            return token[1:-1]
        try:
            return str(json.loads(token, strict=False))
        except ValueError:
            return token[1:-1]


def _literal(token: str) -> float | bool | None:
    if token in ("true", "false", "null"):
        return {"true": True, "false": False, "null": None}[token]
    return float(token)


_MAX_WARNINGS = 5  # warnings about one document


def json_fault_warnings(document: LocatedDocument) -> Iterator[Doubt]:
    """A warning for each of the first places of a document that could not be read, in line order."""
    for line, message in sorted(document.faults, key=lambda fault: fault[0])[:_MAX_WARNINGS]:
        yield Doubt(line, "cut" if "not closed" in message else "bad-number", f"JSON: {message}")
