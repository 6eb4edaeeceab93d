"""A matplotlib script with the data of the figures in it, which runs with matplotlib alone: `figure_script.py`, filled in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from webapp.formats.drawing.look import Look
from webapp.formats.drawing.stamp import Stamp

_SCRIPT = Path(__file__).with_name("figure_script.py")
_KEPT = ("kind", "title", "unit", "better", "scale", "x", "series", "groups", "legend", "reach", "empty", "notes")


def to_script(
    figures: Sequence[Mapping[str, Any]], stamp: Stamp, caption: str, look: Look, width: float, height: float | None = None
) -> str:
    """The script; its data are JSON, in which no text can end the string that holds them."""
    kept = [{key: figure[key] for key in _KEPT if key in figure} for figure in figures]
    for figure in kept:
        figure["kind"] = figure.get("kind") or "bars"
        figure["groups"] = [_group(group) for group in figure["groups"]]
    settings = asdict(look) | {
        "font": "serif" if look.font == "serif" else "sans-serif",
        "width": width,
        "height": height or sum(map(_height, kept)),
    }
    said = [stamp.title or "Poolmark figure", stamp.line, stamp.digest_line, caption]
    head = "\n".join("# " + " ".join(line.split()) for line in said)
    script = _SCRIPT.read_text(encoding="utf-8").replace("@LOOK@", _json(settings))
    data = ",\n".join(map(_figure, kept))
    return f"{head}\n{script.replace('@FIGURES@', f'[{data}]')}"


def _height(figure: Mapping[str, Any]) -> float:
    """A height in mm that leaves room for the rows of a panel."""
    rows = {"heat": figure["series"], "dots": figure["x"]["values"], "ratio": figure["x"]["values"]}.get(figure["kind"], ())
    return max(60.0, len(rows) * 8.0 + 25)


def _figure(figure: Mapping[str, Any]) -> str:
    """JSON with a group on each line."""
    rest = _json({key: value for key, value in figure.items() if key != "groups"})
    groups = ",\n  ".join(map(_json, figure["groups"]))
    return f'{rest[:-1]},\n "groups": [\n  {groups}]}}'


def _group(group: Mapping[str, Any]) -> dict[str, Any]:
    """A group without what only pages need."""
    kept = {key: value for key, value in group.items() if key not in ("flags", "configuration")}
    return kept | {"points": [[point[0], *point[2:]] for point in group["points"]]}


def _json(data: Any) -> str:
    """JSON in ASCII whose quotation marks and backslashes in texts are escapes of six letters: it stands in a raw string."""
    return json.dumps(data).replace("\\\\", "\\u005c").replace('\\"', "\\u0022")
