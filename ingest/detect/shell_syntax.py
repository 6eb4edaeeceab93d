"""The syntax of a shell as far as scripts of benchmarks use it: commands, loops, branches, functions, groups."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from ingest.lazy_regex import lazy
from ingest.text.mentions import command_lines

KEPT = lazy("\x02(\\d+)\x03")
"""In place of a substitution: its number among those that the parser kept."""
_FOR = lazy(r"\bfor\s*\(\(\s*(\w+)\s*=\s*(\d+)\s*;\s*\1\s*<(=?)\s*([^;\s]+)\s*;[^)]*\)\)")
_STEP = lazy(r"(?<!\$)\(\(\s*(?:\+\+)?(\w+)(?:\+\+|\s*\+=\s*1)?\s*\)\)|\blet\s+[\"']?(\w+)(?:\+\+|\+=1)[\"']?")
_TEE_INTO = lazy(r">\s*>\(\s*tee\s+(?:-\w+\s+)*([^)\s]+)\s*\)")
_SUBSTITUTION = lazy(r"\$\(\(((?:[^()]|\([^()]*\))*)\)\)|\$\(([^()]*)\)|`([^`]*)`")
_ENDS = {"done", "fi", "esac", "}", ")", "then", "else", "elif", "do", ";;"}


@dataclass(slots=True)
class Node:
    """A command, or what holds commands. `kind`: command, for, branches, group, function. `words`: tokens of a command or of the
    words of a loop; `bodies`: of each branch; `tests`: its condition, or the patterns of a case."""

    kind: str
    line: int
    words: list[str] = field(default_factory=list)
    bodies: list[list[Node]] = field(default_factory=list)
    tests: list[list[str]] = field(default_factory=list)
    after: list[str] = field(default_factory=list)  # redirections behind it
    name: str = ""


class ScriptParser:
    """Turns the tokens of a script into nodes."""

    def __init__(self, lines: Iterable[tuple[int, str]], kept: list[str]) -> None:
        self._kept = kept
        self._tokens: list[tuple[int, str]] = []
        self._at = 0
        for number, line in _join_lines(lines):
            line = line.replace("\x02", "")  # which marks what was kept
            line = _TEE_INTO.sub(r"> \1", line)
            line = _FOR.sub(lambda m: f"for {m[1]} in $(seq {m[2]} " + (m[4] if m[3] else f"$(({m[4]}-1))") + ")", line)
            line = _STEP.sub(lambda m: "{0}=$(({0}+1))".format(m[1] or m[2]), line)
            for _ in range(3):  # nested substitutions, the inner ones first
                line = _SUBSTITUTION.sub(self._keep, line)
            lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|<>()")
            lexer.whitespace_split, lexer.commenters = True, ""
            with suppress(ValueError):  # a quote that ends on another line
                words = list(lexer)
                comment = next((index for index, one in enumerate(words) if one.startswith("#")), len(words))
                self._tokens += [(number, word) for word in words[:comment]]
            self._tokens.append((number, ";"))

    def _keep(self, match: re.Match[str]) -> str:
        self._kept.append(f"(({match[1]}" if match[1] is not None else match[2] or match[3] or "")
        return f"\x02{len(self._kept) - 1}\x03"

    def parse(self) -> list[Node]:
        nodes: list[Node] = []
        while self._at < len(self._tokens):
            nodes += self._list()
            self._at += 1  # a stray end
        return nodes

    def _peek(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        word = self._peek()
        self._at += 1
        return word

    def _skip_separators(self) -> None:
        while self._at < len(self._tokens) and _is_separator(self._peek()):
            self._at += 1

    def _list(self) -> list[Node]:
        """The commands up to a word that ends a list."""
        nodes: list[Node] = []
        while self._at < len(self._tokens):
            self._skip_separators()
            word = self._peek()
            if not word or word in _ENDS or word.startswith(")"):
                break
            nodes.append(self._command())
        return nodes

    def _command(self) -> Node:
        line, word = self._tokens[self._at]
        if word in ("for", "select"):
            return self._for(line)
        if word in ("while", "until"):
            self._at += 1
            self._list()
            return self._closed(Node("branches", line, bodies=[self._body("done")], tests=[[]]))
        if word == "if":
            return self._if(line)
        if word == "case":
            return self._case(line)
        if word in ("{", "("):
            self._at += 1
            return self._closed(Node("group", line, bodies=[self._body("}" if word == "{" else ")")]))
        if word == "function" or (self._at + 1 < len(self._tokens) and self._tokens[self._at + 1][1].startswith("()")):
            return self._function(line)
        return self._simple(line)

    def _body(self, end: str) -> list[Node]:
        if self._peek() == "do":
            self._at += 1
        nodes = self._list()
        if self._peek() == end:
            self._at += 1
        return nodes

    def _closed(self, node: Node) -> Node:
        """The node with the redirections behind its end."""
        node.after = self._words()
        return node

    def _words(self) -> list[str]:
        """The words of a pipeline, up to a separator."""
        words: list[str] = []
        while self._at < len(self._tokens) and not _is_separator(self._peek()) and not self._peek().startswith((")", ";;")):
            words.append(self._next())
        return words

    def _simple(self, line: int) -> Node:
        words = self._words()
        if not words:
            self._at += 1
        for index, word in enumerate(words):  # NAME=( a b ): an array, in one word
            if word.endswith("=") and index == len(words) - 1 and self._peek().startswith("("):
                self._at += 1
                items: list[str] = []
                while self._at < len(self._tokens) and not self._peek().startswith(")"):
                    items += [word for word in [self._next()] if word != ";"]
                self._at += 1
                words[index] = word + " ".join(items)
        return Node("command", line, words)

    def _for(self, line: int) -> Node:
        self._at += 1
        node = Node("for", line, name=self._next())
        if self._peek() == "in":
            self._at += 1
            node.words = self._words()
        else:
            node.words = ["$@"]
        self._skip_separators()
        node.bodies = [self._body("done")]
        return self._closed(node)

    def _if(self, line: int) -> Node:
        node = Node("branches", line)
        while self._peek() in ("if", "elif"):
            self._at += 1
            start = self._at
            self._list()
            node.tests.append([word for _, word in self._tokens[start : self._at]])
            if self._peek() == "then":
                self._at += 1
            node.bodies.append(self._list())
        if self._peek() == "else":
            self._at += 1
            node.tests.append(["true"])
            node.bodies.append(self._list())
        if self._peek() == "fi":
            self._at += 1
        return self._closed(node)

    def _case(self, line: int) -> Node:
        self._at += 1
        node = Node("branches", line, words=[self._next()], name="case")
        if self._peek() == "in":
            self._at += 1
        while self._at < len(self._tokens):
            self._skip_separators()
            if self._peek() in ("esac", ""):
                break
            patterns: list[str] = []
            while self._at < len(self._tokens) and ")" not in self._peek():
                patterns += [word for word in [self._next()] if word not in ("|", "(", ";")]
            self._at += 1
            node.tests.append(patterns)
            node.bodies.append(self._list())
            if self._peek() == ";;":
                self._at += 1
        self._at += 1
        return self._closed(node)

    def _function(self, line: int) -> Node:
        if self._peek() == "function":
            self._at += 1
        node = Node("function", line, name=self._next())
        if self._peek().startswith("()"):
            self._at += 1
        self._skip_separators()
        node.bodies = [self._command().bodies[0]] if self._peek() in ("{", "(") else []
        return node


def _join_lines(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The lines outside of quotes and here-documents, with those that backslashes continue; each with the number of its first."""
    lines = list(lines)
    first, held = 0, ""
    for number, line, _ in command_lines([line for _, line in lines]):
        first = first or lines[number - 1][0]
        if line.endswith("\\"):
            held += line[:-1] + " "
            continue
        yield first, held + line
        first, held = 0, ""
    if held:
        yield first, held


def _is_separator(word: str) -> bool:
    return word in (";", "&", "&&", "||", ";&", "&;") or (word != ";;" and set(word) == {";"})
