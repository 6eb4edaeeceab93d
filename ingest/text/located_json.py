"""JSON with the line of every value, as it stands in a log, damaged or not.

The standard reader tells no positions and gives nothing at all for a document that was cut. This one keeps the printed
text of each number, passes over what it cannot read, and closes at the end what was left open (RFC 8259). Of a long text
it holds what is asked for: elements of its main arrays are read one by one (`LazyArray`).
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
_LONG = 1 << 20  # characters of a text whose rows are not all held at once
_border = json.JSONDecoder(parse_float=str, parse_int=str).raw_decode
_MOST_FAULTS = 20
_HEAD = 20_000
_DEEPEST = 100


@dataclass(slots=True)
class LocatedValue:
    """A value with the line on which it begins; `raw` is empty for an object whose brace was lost.

    `value`: dict of Nodes, list of Nodes, str, float, bool or None.
    """

    line: int
    raw: str
    value: Any

    def get(self, *path: str) -> LocatedValue | None:
        """The node that the keys lead to, None where one is missing."""
        node: LocatedValue | None = self
        for key in path:
            node = node.value.get(key) if node is not None and isinstance(node.value, dict) else None
        return node

    def text(self, *path: str) -> str | None:
        """The string or the printed number that the keys lead to."""
        node = self.get(*path)
        if node is None or isinstance(node.value, dict | list):
            return None
        return node.value if isinstance(node.value, str) else node.raw

    def items(self) -> list[LocatedValue]:
        """The elements of an array, or none."""
        return self.value if isinstance(self.value, list) else []


class LazyArray(list[LocatedValue]):
    """The elements of an array of a long text. The first of them, at the offsets `passed`, are whole: they are read each time
    the array is gone through, and held by nobody. Only those behind them are in the list."""

    def __init__(self, read: Callable[[int], LocatedValue]) -> None:
        super().__init__()
        self._read = read
        self.passed = array("q")

    def __len__(self) -> int:
        return len(self.passed) + super().__len__()

    def __iter__(self) -> Iterator[LocatedValue]:
        yield from map(self._read, self.passed)
        yield from super().__iter__()


@dataclass(slots=True)
class LocatedDocument:
    """One top-level object. `faults`: line and what was wrong; `last`: its last line."""

    root: LocatedValue
    last: int
    faults: list[tuple[int, str]] = field(default_factory=list)


def find_documents(
    text: Text, first: str, opening: str | None = None, *, rows: Collection[str] = (), counts: str | None = None
) -> Iterator[LocatedDocument]:
    """Every object that begins with the key `opening` (else `first`), wherever it stands: in a list, in an object of
    somebody's own, behind words of a log. And every object that begins a line and in whose first 20,000 characters the
    key `first` stands, so that one which lost its first line is found too.

    `rows`: keys of arrays whose elements are not held of a long text (see `LazyArray`; `faults` has theirs once they are read).
    `counts`: the key of histograms, which nobody asks for: what they hold is left out.
    """
    direct = re.compile(r'\{\s*"' + re.escape(opening or first) + r'"\s*:')
    at, key = 0, -1
    body, own = text.body, direct.search(text.body)
    while (found := _OPEN.search(body, at)) or own:
        start = found.end() - 1 if found else len(body)
        if own and own.start() < at:
            own = direct.search(body, at)
            continue
        if key < min(start, own.start() if own else start):
            key = body.find(f'"{first}"', min(start, own.start() if own else start))
        if key < 0:
            return
        if own and (own.start() <= start or own.start() <= key):
            start = own.start()  # what opens before it is a wrapper of somebody's own
        elif key > start + _HEAD:
            at = start + 1
            continue
        document, end = _Reading(text, start, rows if len(body) > _LONG else (), counts).read()
        if document is not None:
            yield document
        at = max(end, start + 1)


class _Reading:
    """One pass over the tokens from an opening brace."""

    def __init__(self, text: Text, start: int, rows: Collection[str], counts: str | None) -> None:
        self.text, self.at, self.rows, self.counts = text, start, rows, counts
        self.stack: list[LocatedValue] = []
        self.keys: list[str | None] = []
        self.key: str | None = None
        self.faults: list[tuple[int, str]] = []
        self.root: LocatedValue | None = None

    def read(self) -> tuple[LocatedDocument | None, int]:
        body, line, end = self.text.body, 0, -1
        while self.at < len(body):
            found = _TOKEN.match(body, self.at)
            if not found:
                if not body[self.at :].strip() or not self.skip():
                    break
                continue
            kind = found.lastgroup or ""
            place = found.start(kind)
            self.at = found.end()
            if place > end:  # the line in which the token before stood has ended
                line, end = self.text.line_at(place), body.find("\n", place)
                end = end if end >= 0 else len(body)
            self.take(found[kind], kind, line)
            if self.root is not None and not self.stack:
                return self.done()
            if len(self.stack) > _DEEPEST or len(self.faults) > _MOST_FAULTS:
                break
        if self.root is None or not self.root.value:
            return None, self.at
        self.fault(self.text.line_at(max(self.at - 1, 0)), "the object is not closed")
        return self.done()

    def done(self) -> tuple[LocatedDocument, int]:
        assert self.root is not None
        return LocatedDocument(self.root, self.text.line_at(max(self.at - 1, 0)), self.faults), self.at

    def fault(self, line: int, message: str) -> None:
        self.faults.append((line, message))

    def skip(self) -> bool:
        """Passes over the rest of a line that is no JSON; False where that is not worth while."""
        body = self.text.body
        begin = self.at + len(body[self.at : self.at + 10_000]) - len(body[self.at : self.at + 10_000].lstrip())
        self.fault(self.text.line_at(begin), "not JSON")
        end = body.find("\n", begin)
        self.at = end if end >= 0 else len(body)
        self.key = None
        return len(self.faults) <= _MOST_FAULTS

    def take(self, token: str, kind: str, line: int) -> None:
        if kind == "mark":
            self.mark(token, line)
        elif kind == "string" and not self.in_array() and self.key is not None and self.before_colon():
            self.fault(line, f"the key {self.key[:40]!r} has no value")
            self.key = intern(self.string(token))
        elif (kind == "string" and self.key is None and not self.in_array()) or (kind == "string" and self.names(line)):
            self.key = intern(self.string(token))
        else:
            self.put(LocatedValue(line, token, self.string(token) if kind == "string" else _word(token)), line)

    def names(self, line: int) -> bool:
        """In an array, whether a key stands here: its opening brace was lost."""
        if not self.in_array() or not self.before_colon():
            return False
        self.fault(line, "a key without the brace before it")
        self.open(LocatedValue(line, "", {}), line)
        return True

    def before_colon(self) -> bool:
        """Whether what was read last is a key: a colon follows."""
        return bool(_COLON.match(self.text.body, self.at, self.at + 40))

    def in_array(self) -> bool:
        return bool(self.stack) and isinstance(self.stack[-1].value, list)

    def mark(self, token: str, line: int) -> None:
        if token in "{[":
            if self.counts and self.key == self.counts and (found := _COUNTS.match(self.text.body, self.at - 1)):
                self.put(LocatedValue(line, token, {}), line)
                self.at = found.end()
                return
            if self.stack and not self.in_array() and self.key is None:
                self.fault(line, "the object before is not closed")
                if len(self.stack) > 1 and isinstance(self.stack[-2].value, list):
                    self.stack.pop()
            self.open(LocatedValue(line, token, {} if token == "{" else self.array()), line)
        elif token in "}]":
            self.close(token, line)
        elif token == ",":
            self.key = None

    def array(self) -> list[LocatedValue]:
        """What shall hold the elements of the array that opens here; of rows, those that are whole are passed over."""
        if self.key not in self.rows or len(self.stack) != 1:
            return []
        rows, body = LazyArray(self.row), self.text.body
        more = _ROW.match(body, self.at)
        try:
            while more:
                end = _border(body, more.end())[1]
                rows.passed.append(more.end())
                self.at, more = end, _NEXT_ROW.match(body, end)
        except (ValueError, RecursionError):
            pass  # whoever reads on tells what is wrong with it
        return rows

    def row(self, start: int) -> LocatedValue:
        """One of the rows that were passed over. What is wrong inside of it is told as if it had been read at once."""
        reading = _Reading(self.text, start, (), self.counts)
        reading.read()
        self.faults += [fault for fault in reading.faults if fault not in self.faults]
        assert reading.root is not None
        return reading.root

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
            self.untorn(parent.value, node.raw)
        elif self.key in parent.value:
            if node.raw != parent.value[self.key].raw or isinstance(node.value, dict | list):
                self.fault(line, f"the key {self.key[:40]!r} stands twice")
        else:
            parent.value[self.key] = node
        self.key = None

    def untorn(self, held: dict[str, LocatedValue], raw: str) -> None:
        """Leaves out the number before a comma on which digits follow at once: it is none that JSON prints, but has decimals."""
        comma = self.at - len(raw) - 1
        if held and raw[:1].isdecimal() and self.text.body[comma : comma + 1] == ",":
            key, last = next(reversed(held.items()))
            if isinstance(last.value, float) and self.text.body.startswith(last.raw, comma - len(last.raw)):
                del held[key]

    @staticmethod
    def string(token: str) -> str:
        if "\\" not in token:
            return token[1:-1]
        try:
            return str(json.loads(token, strict=False))
        except ValueError:
            return token[1:-1]


def _word(token: str) -> float | bool | None:
    if token in ("true", "false", "null"):
        return {"true": True, "false": False, "null": None}[token]
    return float(token)
