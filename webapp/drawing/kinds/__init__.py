"""How each kind of figure is drawn: a module for each, whose panel says which kinds are its."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from webapp.drawing.panel import PANELS, DrawnPanel
from webapp.figures.notes import FigureData

for _module in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")


def make_panel(figure: FigureData, width: float, title: bool, **more) -> DrawnPanel:
    """The panel of a figure; one of a kind that has none is drawn as bars."""
    return PANELS.get(figure.get("kind") or "bars", PANELS["bars"])(figure, width, title, **more)
