"""A figure of more rows than a page has room for is drawn in parts: each row once, with its name, on the scale of all."""

from __future__ import annotations

import re

import pytest

from webapp.drawing import sheet
from webapp.drawing.looks import Look
from webapp.tests.drawn import STAMP, figure


def many(rows: int, series: tuple[str, ...] = ("",), kind: str = "dots") -> dict:
    names = [f"host {number:03}" for number in range(rows)]
    if kind == "heat":
        return figure(["a", "b"], names, kind=kind)
    made = figure(names, list(series), kind=kind)
    for group in made["groups"]:  # the highest row stands in the last part
        factor = 1 + group["x"]
        group |= {key: group[key] * factor for key in ("center", "low", "high")}
        group["points"] = [[value * factor, address] for value, address in group["points"]]
    return made


@pytest.mark.parametrize(
    ("figures", "size", "rows"),
    [
        ([many(20)], 8, []),
        ([many(56)], 8, []),
        ([many(57)], 8, [(0, 0, 29), (0, 29, 57)]),
        ([many(102)], 8, [(0, 0, 51), (0, 51, 102)]),
        ([many(102)], 12, [(0, 0, 34), (0, 34, 68), (0, 68, 102)]),
        ([many(60, ("a", "b"))], 8, [(0, 0, 30), (0, 30, 60)]),
        ([many(3), many(60)], 8, [(0, 0, 3), (1, 0, 30), (1, 30, 60)]),
        ([many(60, kind="heat")], 8, [(0, 0, 30), (0, 30, 60)]),
        ([many(60, kind="bars")], 8, []),
        ([many(60, kind="bars"), many(60)], 8, [(0, 0, 0), (1, 0, 30), (1, 30, 60)]),
    ],
)
def it_is_divided_where_not_every_row_has_its_name(figures, size, rows):
    found = sheet.split_rows(figures, Look("bare", size=size))
    assert [(part.panel, part.first, part.last) for part in found] == rows


@pytest.mark.parametrize("kind", ["dots", "ratio", "heat"])
def it_has_every_row_once_and_says_which(kind):
    whole = many(102, kind=kind)
    axis = "series" if kind == "heat" else "x"
    names, marks = [], []
    for part in sheet.split_rows([whole], Look()):
        taken = sheet.take_part([whole], part)
        own = [one["name"] for one in taken["series"]] if kind == "heat" else taken["x"]["values"]
        marks += [(own[group[axis]], group["center"]) for group in taken["groups"]]
        names += own
        assert taken["notes"][-1] == f"Rows {part.first + 1} to {part.last} of 102."
    every = [one["name"] for one in whole["series"]] if kind == "heat" else whole["x"]["values"]
    assert names == every and sorted(marks) == sorted((every[group[axis]], group["center"]) for group in whole["groups"])


def it_has_a_panel_without_rows_as_a_part_of_its_own():
    figures = [many(60, kind="bars"), many(60)]
    found = sheet.split_rows(figures, Look())
    assert [part.label for part in found] == ["panel 1", "panel 2, rows 1 to 30", "panel 2, rows 31 to 60"]
    assert sheet.take_part(figures, found[0]) == figures[0]
    assert [part.label for part in sheet.split_rows(figures[1:], Look())] == ["rows 1 to 30", "rows 31 to 60"]


def it_names_every_row_of_a_part_on_the_scale_of_all():
    whole, look = many(102), Look("bare")
    ticks = []
    for part in sheet.split_rows([whole], look):
        svg = sheet.draw([sheet.take_part([whole], part)], STAMP, sheet.Sheet(180), look)
        shown = re.findall(r">([^<]+)</text>", svg)
        assert [text for text in shown if text.startswith("host")] == whole["x"]["values"][part.first : part.last]
        ticks.append([text for text in shown if not text.startswith("host")])
    assert ticks[0] == ticks[1]
    svg = sheet.draw([whole], STAMP, sheet.Sheet(180), look)
    assert 40 < len(re.findall(r">host \d+</text>", svg)) < 102 and "named)" in svg
