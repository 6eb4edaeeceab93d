"""What a pattern cannot match without: words and signs of which a text must hold some.

Fifty patterns searched in every file cost more than all parsing. Most of them need a word (`Iozone`, `reclen`) that the
file does not hold; which words those are, the pattern's own syntax tree tells. A file's words are collected once, each
word is looked at once in the life of the process, and only patterns that may match are searched. A pattern of which
nothing can be told is always searched: the filter never decides that something matches, only that nothing can.
"""
from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from re import (
    _compiler,  # type: ignore[attr-defined]
    _parser,  # type: ignore[attr-defined]
)
from re import _constants as op  # type: ignore[attr-defined]

from ingest.kinds import Unsure, of_kinds
from ingest.patterns import late

Together = frozenset[str]  # pieces that a match holds all of
Needs = frozenset[Together]  # of which it holds at least one

_MOST = 80  # alternatives; more are no filter
_WORD = late(r"[a-z]{2,}")
_DIGIT = late("[0-9]")
_SIGNS = "=+,:%#*~>/()[]\"'&@-;|_<$."
_OPEN, _BREAK = "\ufffe", "\uffff"
_LETTERS = bytes(ord(chr(c).lower()) if chr(c).isalpha() and c < 128 else 32 for c in range(256))
# Letters beyond ASCII that case-insensitive patterns take for ASCII ones.
_FOLDED = late("[\u0130\u0131\u017f\u212a]")
_KEPT = 200_000  # words remembered
_KINDS, _SHORT, _FEW = 2000, 160, 300  # kinds of lines remembered; characters of the longest of them; of how many at once
_LONG = 4 << 20  # characters of a text that is not copied
_AT_ONCE, _LONGEST = 1 << 20, 100  # characters of a long text whose words are collected together; of a word
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)


def _of_sequence(items: Iterable, folded: bool) -> Needs | None:
    """Sets of pieces, one of which every match holds completely; None where nothing can be told.

    A piece is a word of small letters, which stands for it in any case, or else text as it stands. What several parts
    of the sequence need is joined, the most telling ones first. `folded`: case is ignored.
    """
    parts: list[Needs] = []
    run = ""
    for kind, value in [*items, (None, None)]:
        letter, ends = _letter(kind, value)
        run += letter
        if not ends:
            continue
        for found in (_of_run(run, folded), _of_part(kind, value, folded) if kind is not None and not letter else None):
            if found:
                parts.append(found)
        run = ""
    return _joined(parts)


def _joined(parts: list[Needs]) -> Needs | None:
    parts = sorted(parts, key=_worth, reverse=True)
    found = parts[0] if parts else None
    for more in parts[1:]:
        both = frozenset(one | other for one in found for other in more)
        if len(both) <= _MOST:
            found = both
    return found


def _letter(kind, value) -> tuple[str, bool]:
    """The characters that a part of a pattern begins with, and whether the run of characters ends there.

    A letter whose case is open is followed by a mark.
    """
    if kind is op.LITERAL:
        return (chr(value) if value < 128 else _BREAK), False
    if kind is op.IN and all(one is op.LITERAL and code < 128 for one, code in value):
        letters = {chr(code).lower() for _, code in value}
        return (letters.pop() + _OPEN, False) if len(letters) == 1 else ("", True)
    if kind in _REPEATS and 0 < value[0] < 10 and len(value[2]) == 1 and value[2][0][0] is op.LITERAL:
        return _letter(*value[2][0])[0] * value[0], True
    return "", True


def _of_run(run: str, folded: bool) -> Needs | None:
    """The longest word of a run of characters and a sign beside it, else the longest piece as it stands."""
    plain = run.replace(_OPEN, "").lower()
    words, signs = _WORD.findall(plain), [sign for sign in plain if sign in _SIGNS]
    if words:
        return frozenset((frozenset((max(words, key=len), *signs[:1])),))
    if folded or _OPEN in run:
        return frozenset((frozenset(signs[:1]),)) if signs else None
    pieces = [piece for piece in run.split(_BREAK) if len(piece) > 1 or piece in _SIGNS]
    pieces = [piece for piece in pieces if any(c in _SIGNS or c.isalpha() for c in piece)]
    return frozenset((frozenset((max(pieces, key=len),)),)) if pieces else None


def _of_part(kind, value, folded: bool) -> Needs | None:
    if kind is op.SUBPATTERN:
        return _of_sequence(value[3], (folded or bool(value[1] & re.IGNORECASE)) and not value[2] & re.IGNORECASE)
    if kind is op.ATOMIC_GROUP:
        return _of_sequence(value, folded)
    if kind is op.ASSERT and value[0] == 1:
        return _of_sequence(value[1], folded)
    if kind in _REPEATS and value[0] > 0:
        return _of_sequence(value[2], folded)
    if kind is op.BRANCH:
        return _of_choice(value[1], folded)
    if kind is op.IN and all(one is op.LITERAL and chr(code) in _SIGNS + " \t" for one, code in value):
        return frozenset(frozenset(chr(code)) for _, code in value)
    return None


def _of_choice(branches: Iterable, folded: bool) -> Needs | None:
    found: set[Together] = set()
    for branch in branches:
        one = _of_sequence(branch, folded)
        if not one:
            return None
        found |= one
    return frozenset(found)


def _worth(found: Needs) -> tuple[bool, int, int]:
    """Words before other pieces, few before many, long before short."""
    return all(any(map(_is_word, one)) for one in found), -len(found), min(max(map(len, one)) for one in found)


def _is_word(need: str) -> bool:
    return len(need) > 1 and need.isalpha() and need.islower()


class _Branch:
    """One alternative of a pattern, compiled when a text first needs it: alone it is searched faster than among others."""

    def __init__(self, tree, flags: int) -> None:
        self.needs = _of_sequence(tree, bool(flags & re.IGNORECASE))
        if self.needs and len(self.needs) > _MOST:
            self.needs = None
        self._tree, self._flags = tree, flags
        self.masks: list[int] | None = None
        self.bit = 0
        self._searches: dict[bool, tuple[Callable, bool, Callable | None]] = {}
        self._of_kinds: tuple | None = None

    def search(self, body: _Body) -> bool | None:
        """Whether it matches in the text: it is asked of one line of each kind first. None: in no line of these kinds."""
        if body.alike is None:
            return self._found(body, False)
        if self._of_kinds is None:
            try:
                self._of_kinds = of_kinds(self._tree, self._flags)
            except Unsure:
                self._of_kinds = None, False
        if self._of_kinds[0] is not None:
            if not self._found(body, True):
                return None
            if self._of_kinds[1]:
                return True
        return self._found(body, False)

    def _found(self, body: _Body, of_kinds: bool) -> bool:
        search, leads, exact = self._searches.get(of_kinds) or self._compile(of_kinds)
        if leads and not of_kinds:
            return search(body.led) is not None or (len(body.text) > _LONG and search(body.text) is not None)
        text = body.alike if of_kinds else body.text
        return search(text) is not None and (exact is None or exact(text) is not None)

    def _compile(self, of_kinds: bool) -> tuple[Callable, bool, Callable | None]:
        """The search, whether it begins with the line feed before a line, and what tells more exactly, if needed.

        What begins with a letter is found many times faster than what begins at the edge of a word.
        """
        tree = self._of_kinds[0] if of_kinds else self._tree
        leads, exact = _is_of_lines(tree, self._flags), None
        if leads:
            tree = _parser.SubPattern(tree.state, [(op.LITERAL, ord("\n")), *tree[1:]])
        elif len(tree) > 1 and tree[0] == (op.AT, op.AT_BOUNDARY):
            exact = _compiler.compile(tree, self._flags).search
            tree = _parser.SubPattern(tree.state, tree.data[1:])
        known = self._searches[of_kinds] = _compiler.compile(tree, self._flags).search, leads, exact
        return known


class _Body:
    """A text and one line of each of its kinds (see `ingest.kinds`); `led`: with the line feed before its first line, of a
    long text only its beginning."""

    __slots__ = ("_led", "alike", "text")

    def __init__(self, text: str, alike: str | None) -> None:
        self.text, self.alike = text, alike
        self._led = ""

    @property
    def led(self) -> str:
        if not self._led:
            end = self.text.find("\n", _LONG) if len(self.text) > _LONG else -1
            self._led = "\n" + (self.text if end < 0 else self.text[:end])
        return self._led


def _is_of_lines(tree, flags: int) -> bool:
    """Whether every match begins a line: the line feed before is found many times faster than a beginning.

    Not where something else in it asks for the beginning of a line or text.
    """
    if not flags & re.MULTILINE or not len(tree) or tree[0] != (op.AT, op.AT_BEGINNING):
        return False
    return "AT_BEGINNING" not in repr(tree.data[1:])


def _branches(pattern: re.Pattern[str]) -> list[_Branch]:
    tree = _parser.parse(pattern.pattern, pattern.flags)
    trees = tree[0][1][1] if len(tree) == 1 and tree[0][0] is op.BRANCH else [tree]
    if _refers(pattern.pattern):
        trees = [tree]
    return [_Branch(one, pattern.flags) for one in trees]


def _refers(pattern: str) -> bool:
    """Whether groups are looked back at, which an alternative alone might lack."""
    return "(?P=" in pattern or "(?(" in pattern or re.search(r"\\[1-9]", pattern) is not None


class Sieve:
    """Tells, for a text, those of a row of patterns that match it."""

    def __init__(self, patterns: Sequence[re.Pattern[str] | None]) -> None:
        """None stands for what matches every text."""
        self._patterns = [None if pattern is None else _branches(pattern) for pattern in patterns]
        branches = [branch for pattern in self._patterns if pattern for branch in pattern]
        pieces = sorted({piece for branch in branches for together in branch.needs or () for piece in together})
        bits = {piece: 1 << at for at, piece in enumerate(pieces)}
        for at, branch in enumerate(branches):
            branch.bit = 1 << at
            if branch.needs is not None:
                branch.masks = [sum(bits[piece] for piece in together) for together in branch.needs]
        self._words = {piece: bit for piece, bit in bits.items() if _is_word(piece)}
        # Pieces with a digit are looked for in the text, all others in one line of each kind.
        self._pieces = [(piece, bit, _DIGIT.search(piece) is not None) for piece, bit in bits.items() if not _is_word(piece)]
        self._of_text = [one for one in self._pieces if one[2] or "\n" in one[0]]
        self._of_kind: dict[str, int] = {}  # a kind of lines -> a bit for each piece that it holds
        self._known: dict[bytes, int] = {}
        self._absent: dict[str, int] = {}  # a kind of lines -> a bit for each alternative that matches none of them
        self._passed: dict[int, list[tuple[int, list[_Branch] | None]]] = {}

    def matching(self, text: str, alike: str | None = None, each: Collection[str] = ()) -> Iterator[int]:
        """Places in the row of the patterns that match somewhere in the text, in order.

        `alike`: one line of each kind of it, as `Text.alike` has them; `each`: these lines.
        """
        body = _Body(text, alike)
        fresh, absent = self._fresh(text, each) if alike is not None and each else (body, 0)
        found_in_none = 0
        for at, branches in self._left(-1 if not text.isascii() and _FOLDED.search(text) else self._held_by(body, each)):
            for branch in branches or ():
                # Of kinds that were met before it is known what they lack; the others are looked at.
                found = branch.search(fresh if absent & branch.bit else body) if fresh or not absent & branch.bit else None
                if found:
                    break
                if found is None:
                    found_in_none |= branch.bit
            if branches is None or found:
                yield at
        if found_in_none & ~absent or fresh:
            self._learn_absent(each, found_in_none)

    def _fresh(self, text: str, each: Collection[str]) -> tuple[_Body | None, int]:
        """The kinds that were not met before, None without any, and the alternatives that match none of the others."""
        absent, new = -1, []
        for kind in each:
            known = self._absent.get(kind)
            if known is None:
                new.append(kind)
            else:
                absent &= known
        return _Body(text, "\n" + "\n".join(new)) if new else None, absent if len(new) < len(each) else 0

    def _learn_absent(self, each: Collection[str], bits: int) -> None:
        if len(each) > _KINDS:
            return
        if len(self._absent) > _KINDS:
            self._absent.clear()
        for kind in each:
            if len(kind) <= _SHORT:
                self._absent[kind] = self._absent.get(kind, 0) | bits

    def _held_by(self, body: _Body, each: Collection[str]) -> int:
        """The same from what its kinds were found to hold before, where they are few and the text is made of them."""
        if body.alike is None or not each or len(each) > _FEW:
            return self._held(body)
        held, known, new = 0, self._of_kind, []
        for kind in each:
            mask = known.get(kind)
            if mask is None:
                new.append(kind)
            else:
                held |= mask
        if len(known) + len(new) > _KINDS:
            known.clear()
        for kind in new:
            mask = self._held(_Body(kind, kind))
            held |= mask
            if len(kind) <= _SHORT:
                known[kind] = mask
        for piece, bit, of_text in self._of_text:
            if piece in (body.text if of_text else body.alike):
                held |= bit
        return held

    def _held(self, body: _Body) -> int:
        """A bit for each piece that the text holds."""
        held = 0
        text = body.text if body.alike is None else body.alike
        for piece, bit, of_text in self._pieces:
            if piece in (body.text if of_text else text):
                held |= bit
        known = self._known
        for at in range(0, len(text), _AT_ONCE):
            # Parts overlap, so that no word that is looked for is cut.
            part = text[at : at + _AT_ONCE + _LONGEST] if len(text) > _AT_ONCE else text
            for word in set(part.encode("ascii", "replace").translate(_LETTERS).split()):
                mask = known.get(word)
                held |= self._learn(word) if mask is None else mask
        return held

    def _left(self, held: int) -> list[tuple[int, list[_Branch] | None]]:
        """The patterns, and their alternatives, that may match what holds those pieces."""
        left = self._passed.get(held)
        if left is None:
            if len(self._passed) > 10_000:
                self._passed.clear()
            left = self._passed[held] = []
            for at, pattern in enumerate(self._patterns):
                fit = pattern and [b for b in pattern if b.masks is None or any(mask & held == mask for mask in b.masks)]
                if fit or pattern is None:
                    left.append((at, fit))
        return left

    def _learn(self, word: bytes) -> int:
        if len(self._known) > _KEPT:
            self._known.clear()
        text = word.decode()
        mask = self._known[word] = sum(bit for need, bit in self._words.items() if need in text)
        return mask
