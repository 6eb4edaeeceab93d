"""Where SQL may stand, and where it is decided who may see what: the rules of `docs/architecture.md` that no import shows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

SQL_FOLDERS = ("webapp/storage/", "webapp/models/", "webapp/management/commands/")
SQL_MODULES = re.compile(r"(\w+_)?queries|summary_\w+|data_version|readiness")
SQL_FILES = {
    "webapp/formats/export.py": "streams every public measurement",
    "webapp/bulk/parts.py": "statements of DuckDB, over files",
    "webapp/bulk/scans.py": "statements of DuckDB, over files",
    "webapp/bulk/whole.py": "statements of DuckDB, over files",
    "webapp/infrastructure/embedded_postgres.py": "makes the database of a server of its own",
}
CONNECTIONS = {
    "webapp/http/isolation.py": "sets a savepoint before each isolated part",
    "webapp/infrastructure/direct_connection.py": "opens a further connection",
    "webapp/infrastructure/gunicorn_config.py": "closes the connections of a thread that ends",
    "webapp/jobs/forked.py": "drops what a forked process inherits",
    "webapp/http/read_replica.py": "turns a thread's connection to another server",
}
"""Modules without SQL that hold a connection."""
CALLS = {"execute", "executemany", "fetch_row", "fetch_rows", "cursor", "chunked_cursor", "copy_expert", "raw", "extra"}
EXPRESSIONS = {"RawSQL", "Func"}
STATEMENT = re.compile(
    r"\s*\(?(SELECT|WITH (RECURSIVE )?\w+ AS|INSERT INTO|UPDATE \w+ SET|DELETE FROM|COPY \w+ |CREATE (\w+ )?(TABLE|INDEX|DATABASE)"
    r"|ALTER (TABLE|INDEX)|DROP TABLE|TRUNCATE|LOCK TABLE|SET (TRANSACTION|LOCAL|SESSION))\b"
    r"|.*\b(FROM|JOIN|INTO|UPDATE|USING) webapp_|.*::(text|int|bigint|smallint|float8|regclass|jsonb?)\b|.* = ANY\(%s",
    re.DOTALL,
)

RULES_OF_ACCESS = ("webapp/accounts/", "webapp/models/")
NOT_ASKED = ("webapp/storage/", "webapp/management/commands/")
"""What changes who may see an archive, and what only the operator can call."""
FACTS = {"owner", "owner_id", "published_at", "withdrawn_at", "seen_by", "is_staff", "is_superuser"}
FILTERS = {"filter", "exclude", "get", "Q", "When", "get_object_or_404", "get_list_or_404"}
CONDITIONS = {"OPEN", "LISTED", "STUDIED", "PUBLISHED", "PRIVATE", "SignInToken"}
OF_VIEWS = {"is_public", "is_private", "is_withdrawn"}
ETAGS = {("webapp/http/page_cache.py", "is_staff")}
"""The ETag of a page holds whether its reader is staff."""


Found = list[tuple[int, str]]


@dataclass
class Module:
    """What one file of the product does."""

    sql: Found
    connections: Found
    decisions: Found


@pytest.fixture(scope="module")
def product() -> dict[str, Module]:
    found = {}
    for file in sorted((ROOT / "webapp").rglob("*.py")):
        path = file.relative_to(ROOT).as_posix()
        if not {"tests", "migrations"} & set(file.parts) and file.name != "conftest.py":
            nodes = nodes_of(file.read_text())
            found[path] = Module(list(sql_in(nodes)), list(connections_in(nodes)), list(visibility_in(nodes, path)))
    return found


def nodes_of(source: str) -> list[ast.AST]:
    return [*ast.walk(ast.parse(source))]


def may_hold_sql(path: str) -> bool:
    if path.startswith("webapp/views/"):
        return False
    return path.startswith(SQL_FOLDERS) or path in SQL_FILES or SQL_MODULES.fullmatch(Path(path).stem) is not None


def name_of(node: ast.expr) -> str:
    """The last part of a name: `filter` of `Archive.objects.filter`."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def texts(nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
    """Line and text of every string but docstrings; of an f-string, what is fixed."""
    told = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.lineno, node.value


def sql_in(nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
    """Line and word of everything that asks the database past Django's QuerySets."""
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CALLS:
            yield node.lineno, node.func.attr
        elif isinstance(node, ast.Call) and (name_of(node.func) in EXPRESSIONS or any(k.arg == "template" for k in node.keywords)):
            yield node.lineno, name_of(node.func)
        elif isinstance(node, ast.ClassDef) and any(name_of(base) in EXPRESSIONS for base in node.bases):
            yield node.lineno, node.name
    for line, text in texts(nodes):
        if STATEMENT.match(text):
            yield line, " ".join(text.split())[:40]


def connections_in(nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
    """Line and name of every import of a connection to the database."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module == "django.db":
            yield from ((node.lineno, one.name) for one in node.names if one.name in ("connection", "connections"))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "psycopg":
            yield node.lineno, "psycopg"
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, one.name) for one in node.names if one.name.partition(".")[0] == "psycopg")


def asked_of(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions that a node decides by."""
    if isinstance(node, ast.If | ast.IfExp | ast.While | ast.Assert):
        yield node.test
    elif isinstance(node, ast.comprehension):
        yield from node.ifs
    elif isinstance(node, ast.BoolOp):
        yield from node.values
    elif isinstance(node, ast.Compare):
        yield from (node.left, *node.comparators)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand


def is_of_access(lookup: str) -> bool:
    """Whether a filter by it decides who sees something; a search for the name of an owner does not."""
    parts = {*lookup.split("__")}
    return bool(FACTS & parts) and "username" not in parts


def visibility_in(nodes: list[ast.AST], path: str = "") -> Iterator[tuple[int, str]]:
    """Line and word of every place that decides by who owns or published something, or by who is staff."""
    for node in nodes:
        yield from _decisions_of(node, in_view=path.startswith("webapp/views/"))
        for part in asked_of(node):
            if isinstance(part, ast.Attribute) and part.attr in FACTS:
                yield part.lineno, part.attr
    for line, text in texts(nodes):
        if re.search(r"\b(published_at IS|owner_id =|is_staff)", text):
            yield line, " ".join(text.split())[:40]


def _decisions_of(node: ast.AST, in_view: bool) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.Call) and name_of(node.func) in FILTERS:
        yield from ((node.lineno, key.arg) for key in node.keywords if is_of_access(key.arg or ""))
    elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("webapp.models"):
        yield from ((node.lineno, one.name) for one in node.names if one.name in CONDITIONS)
    elif isinstance(node, ast.Attribute):
        is_staff = isinstance(node.ctx, ast.Load) and node.attr in ("is_staff", "is_superuser")
        if (is_staff and name_of(node.value) != "access") or (not is_staff and in_view and node.attr in OF_VIEWS):
            yield node.lineno, node.attr


def test_sql_stands_where_it_may(product):
    found = [f"{path}:{line} {word}" for path, module in product.items() if not may_hold_sql(path) for line, word in module.sql]
    assert found == []


def test_connections_are_held_where_sql_stands(product):
    held = {path: module.connections for path, module in product.items() if not may_hold_sql(path)}
    assert {path: names for path, names in held.items() if names and path not in CONNECTIONS} == {}


def test_every_exception_is_needed(product):
    assert [path for path in CONNECTIONS if not product[path].connections] == []
    assert [path for path in SQL_FILES if not product[path].sql] == []
    assert [(path, word) for path, word in ETAGS if word not in {found for _, found in product[path].decisions}] == []


def test_who_may_see_what_is_decided_in_one_place(product):
    found = [
        f"{path}:{line} {word}"
        for path, module in product.items()
        if not path.startswith((*RULES_OF_ACCESS, *NOT_ASKED))
        for line, word in module.decisions
        if (path, word) not in ETAGS
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "connection.cursor()",
        "Note.objects.raw(query)",
        "files.extra(where=[named])",
        "rows.annotate(n=RawSQL(query, []))",
        "class Left(Func): template = ''",
        "Aggregate('x', template='%(expressions)s')",
        "QUERY = 'SELECT id FROM webapp_run'",
        "QUERY = f'''\nWITH one AS ({part}) UPDATE {table} SET n = 1'''",
        "PART = 'a JOIN webapp_file f ON true'",
        "PART = 'line::bigint'",
        "cursor.copy('COPY webapp_run FROM STDIN')",
    ],
)
def test_the_check_finds_sql(source):
    assert list(sql_in(nodes_of(source)))


@pytest.mark.parametrize("source", ["'''SELECT what matters'''", "row.copy()", "say('Select a figure from the list')"])
def test_the_check_lets_words_pass(source):
    assert not list(sql_in(nodes_of(source)))


@pytest.mark.parametrize("source", ["from django.db import connection", "import psycopg", "from psycopg.sql import SQL"])
def test_the_check_finds_connections(source):
    assert list(connections_in(nodes_of(source)))


@pytest.mark.parametrize(
    "source",
    [
        "Archive.objects.filter(owner=user)",
        "Run.objects.exclude(archive__withdrawn_at=None)",
        "get_object_or_404(Permalink, pk=name, owner=user)",
        "rows.filter(Q(published_at__isnull=False))",
        "own = archive.owner_id == user.pk",
        "shown = [one for one in rows if one.published_at]",
        "if not archive.withdrawn_at: pass",
        "power = user.is_staff",
        "from webapp.models.archive import PRIVATE",
        "from webapp.models import SignInToken",
        "QUERY = 'WHERE a.published_at IS NOT NULL'",
    ],
)
def test_the_check_finds_decisions(source):
    assert list(visibility_in(nodes_of(source)))


def test_views_ask_for_the_decision_and_not_for_the_state():
    nodes = nodes_of("seen = archive.is_public or access.owns(user, archive)")
    assert list(visibility_in(nodes, "webapp/views/archives/archive_page.py"))
    assert not list(visibility_in(nodes, "webapp/permalinks/x.py"))


@pytest.mark.parametrize(
    "source",
    ["access.is_staff(user)", "Q(owner__username=word)", "Archive.objects.create(owner=user)", "day(archive.withdrawn_at)"],
)
def test_the_check_lets_the_rest_pass(source):
    assert not list(visibility_in(nodes_of(source)))


def test_no_file_name_stands_twice():
    """But for `queries` and commands; what draws a kind of figure is named like the kind, and so is what reads a tool's results and
    its numbers over time."""
    kinds = {path.stem for path in (ROOT / "webapp/figures").glob("*.py")}
    places: dict[tuple[str, str], list[str]] = {}
    for top in ("webapp", "ingest"):
        for path in sorted((ROOT / top).rglob("*.py")):
            inside = path.relative_to(ROOT)
            if {"tests", "migrations", "commands"} & set(inside.parts) or path.stem in ("__init__", "queries"):
                continue
            of_tools = inside.parts[1] if inside.parts[1] in ("parsers", "series", "context") else ""
            if not (inside.parts[:2] == ("webapp", "drawing") and path.stem in kinds):
                places.setdefault((top + of_tools, path.stem), []).append(str(inside))
    assert [names for names in places.values() if len(names) > 1] == []
