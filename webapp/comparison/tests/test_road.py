"""The road of a comparison: its stages in their order, each entered once, with values that nobody changes."""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from webapp.comparison import compare, compared_set, comparison, groups, judged, landing, model, question, rows

STAGES = [
    (question.ask, question.Question),
    (rows.read_rows, rows.Rows),
    (landing.land, rows.Rows),
    (compared_set.choose_set, compared_set.ComparedSet),
    (groups.make_groups, groups.Groups),
    (judged.judge, judged.Judged),
    (comparison.make_comparison, model.Comparison),
]
PACKAGE = Path(compare.__file__).parent


def bound_names(function: ast.FunctionDef) -> list[str]:
    """The names that a function binds, its own functions and comprehensions aside, as often as it does."""
    names: list[str] = []
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.Lambda | ast.comprehension):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.append(node.id)
        waiting += ast.iter_child_nodes(node)
    return names


def it_goes_from_stage_to_stage_and_enters_each_once():
    [function] = ast.parse(inspect.getsource(compare.compare)).body
    _, *statements = function.body
    calls = [node.func.id for node in ast.walk(function) if isinstance(node, ast.Call)]
    assert sorted(calls) == sorted(stage.__name__ for stage, _ in STAGES)
    assert [one.value.func.id for one in statements] == [stage.__name__ for stage, _ in STAGES]
    for before, after in pairwise(statements):
        assert [argument.id for argument in after.value.args] == [before.targets[0].id], "it takes the former stage's result alone"


@pytest.mark.parametrize(("stage", "result"), STAGES)
def it_returns_a_frozen_value_and_binds_nothing_twice(stage, result):
    assert result.__dataclass_params__.frozen
    [function] = ast.parse(inspect.getsource(stage)).body
    assert [name for name, count in Counter(bound_names(function)).items() if count > 1] == []


def it_changes_nothing_that_it_was_given():
    """No function assigns to an attribute or an entry of one of its parameters; methods may fill caches of their own object."""
    found = []
    for path in [*PACKAGE.glob("*.py"), *PACKAGE.glob("sets/*.py")]:
        for function in [node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.FunctionDef)]:
            given = {one.arg for one in (*function.args.args, *function.args.kwonlyargs)} - {"self", "cls"}
            targets = [node for node in ast.walk(function) if isinstance(node, ast.Attribute | ast.Subscript)]
            changed = [node for node in targets if isinstance(node.ctx, ast.Store | ast.Del) and isinstance(node.value, ast.Name)]
            found += [f"{path.name}:{node.lineno}" for node in changed if node.value.id in given]
    assert found == []
