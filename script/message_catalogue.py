"""The texts that people meet and that are written in Python, as lists, for docs/messages.md and its tests.

Warnings are found where a `Doubt` is made; other sentences are string literals of the modules in `PAGES`.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    "Notes under a figure": ("webapp/comparison/omissions.py", "webapp/figures/*.py"),
    "Why a choice or preset is not available": ("webapp/comparison/facets.py", "webapp/pages/rail.py"),
    "Claims, and why there is none": ("webapp/claims/judge.py", "webapp/comparison/judged.py", "webapp/pages/sentences.py"),
}
_SENTENCE = re.compile(r"[A-Za-z]{2,}[,:;.]? [a-z{…]")


class Message(NamedTuple):
    """A text with `…` for each value filled in; `code`: of a warning, else empty."""

    code: str
    text: str
    path: str
    line: int


def product_files(folder: str) -> list[Path]:
    paths = sorted((ROOT / folder).rglob("*.py"))
    return [path for path in paths if not {"tests", "migrations"} & set(path.relative_to(ROOT).parts)]


def warnings() -> Iterator[Message]:
    """The code and text of every `Doubt` or `FileKind` that is made, one for each code it may have; text empty if computed."""
    for path in product_files("ingest"):
        tree = ast.parse(path.read_text())
        assigned = _assigned(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _name(node.func).endswith(("Doubt", "FileKind", "doubt")) and len(node.args) >= 3:
                for code in filter(None, _texts(node.args[1], assigned)):
                    for text in sorted(_texts(node.args[2], assigned)) or [""]:
                        yield Message(code, text, path.relative_to(ROOT).as_posix(), node.lineno)


def sentences(patterns: Iterable[str]) -> list[Message]:
    """The sentences among the string literals of modules, in their order."""
    found = []
    for path in [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]:
        tree = ast.parse(path.read_text())
        inner = {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant | ast.JoinedStr) and node not in inner | docstrings:
                found += [
                    Message("", text, path.relative_to(ROOT).as_posix(), node.lineno)
                    for text in _texts(node, {})
                    if _SENTENCE.search(text) and "<" not in text
                ]
    return sorted(found, key=lambda message: (message.path, message.line))


def _name(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""


def _assigned(tree: ast.Module) -> Mapping[str, list[ast.expr]]:
    """Every expression that is assigned to a name anywhere in a module."""
    assigned: dict[str, list[ast.expr]] = defaultdict(list)
    for node in ast.walk(tree):
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Name):
                assigned[target.id].append(node.value)
            elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                for name, value in zip(target.elts, node.value.elts, strict=False):
                    if isinstance(name, ast.Name):
                        assigned[name.id].append(value)
    return assigned


def _texts(node: ast.expr, assigned: Mapping[str, list[ast.expr]]) -> set[str]:
    """The texts that an expression may have, as far as literals and assignments show them."""
    if isinstance(node, ast.Constant):
        return {node.value} if isinstance(node.value, str) else set()
    if isinstance(node, ast.JoinedStr):
        return {"".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values)}
    if isinstance(node, ast.IfExp):
        return _texts(node.body, assigned) | _texts(node.orelse, assigned)
    if isinstance(node, ast.BinOp):
        return {
            f"{left}{right}" for left in _texts(node.left, assigned) or {"…"} for right in _texts(node.right, assigned) or {"…"}
        }
    if isinstance(node, ast.Subscript):
        return _texts(node.value, assigned)
    if isinstance(node, ast.Name):
        return set().union(*(_texts(value, {}) for value in assigned.get(node.id, ())))
    return set()
