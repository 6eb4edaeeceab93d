"""Distributions of the points of series beside runs: the page and its files. The address is the whole state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlencode

from django.shortcuts import render
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from webapp.curves import address, counting, distributions, percentiles, queries
from webapp.curves.counting import QUANTILES
from webapp.drawing import plate
from webapp.figures.notes import print_notes
from webapp.formats import curve_tables
from webapp.formats.curve_tables import summarise_distribution
from webapp.http.page_cache import conditional
from webapp.models import Run
from webapp.pages.curves_page import group_metrics, list_runs, subtitle
from webapp.views.curves import drawn as files

_OWN = ("kind", "round", "load", *files.BESIDE)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What an address asks for. `problems`: a sentence for each part that was not understood."""

    curves: address.CurveQuery
    kind: str
    width: float
    load: str
    problems: tuple[str, ...]

    @property
    def query(self) -> str:
        return self.with_kind(self.kind)

    def with_kind(self, kind: str) -> str:
        """The canonical query string, for another kind of figure."""
        width = [("round", f"{self.width:g}")] if self.width != counting.ROUND else []
        load = [("load", self.load)] if self.load else []
        return "&".join(filter(None, (urlencode([("kind", kind)]), self.curves.query, urlencode([*width, *load]))))

    @property
    def shown_width(self) -> str:
        """The length of a round as addresses have it."""
        return f"{self.width:g}"


class _Answer(NamedTuple):
    asked: _Asked
    runs: list[Run]
    drawn: distributions.DrawnDistributions


def _parse(get) -> _Asked:
    pairs = [(key, value) for key, values in get.lists() for value in values if key not in _OWN]
    problems = []
    kind = get.get("kind") or distributions.CDF
    if kind not in distributions.KINDS:
        problems.append(f"There is no kind={kind[:40]}; there are {', '.join(distributions.KINDS)}.")
        kind = distributions.CDF
    text = get.get("round") or f"{counting.ROUND:g}"
    width = counting.parse_width(text)
    if width is None:
        problems.append(f"round={text[:40]} is not a number of seconds; rounds are {counting.ROUND:g} s long.")
        width = counting.ROUND
    load = get.get("load", "")
    if load and load not in percentiles.LOADS:
        problems.append(f"There is no load={load[:40]}; there are {', '.join(percentiles.LOADS)}.")
        load = ""
    curves = address.parse(pairs)
    return _Asked(curves, kind, width, load, (*curves.problems, *problems))


def _answer(request) -> _Answer:
    """What the address asks for. Raises Http404 where it names runs, and the reader may see none of them."""
    asked = _parse(request.GET)
    runs, missing = files.read_runs(request, asked.curves)
    drawn = distributions.draw(asked.curves, asked.kind, queries.read_source(runs), asked.load, asked.width)
    drawn.notes += missing
    return _Answer(asked, runs, drawn)


@require_safe
@conditional
def page(request):
    asked, runs, drawn = _answer(request)
    shown = []
    for at, (figure, rows) in enumerate(zip(drawn.figures, drawn.tables, strict=True)):
        picture = plate.draw_inline(figure, summarise_distribution(figure, rows), f"figure-{at}", 720.0, scrolls=True)
        shown.append({"figure": figure, "rows": rows, "picture": mark_safe(picture)})  # noqa: S308 escaped by `drawing.text`
    context = {
        "asked": asked,
        "kinds": [(kind, label, asked.with_kind(kind)) for kind, label in distributions.KINDS.items()],
        "heading": _heading(asked, drawn),
        "hidden": [("query", asked.curves.query), ("kind", asked.kind), ("load", asked.load), ("round", asked.shown_width)],
        "subtitle": subtitle(runs) if runs else "",
        "runs": list_runs(asked.curves, runs),
        "drawn": drawn,
        "shown": shown,
        "shares": [f"p{share * 100:g}" for share in QUANTILES],
        "notes": print_notes(drawn.figures, drawn.notes),
        "loads": [(load, label, load == asked.load) for load, label in percentiles.LOADS.items()],
        "units": group_metrics(drawn.chosen.metrics),
    }
    return render(request, "runs/distributions.html", context)


def _heading(asked: _Asked, drawn: distributions.DrawnDistributions) -> str:
    labels = list(dict.fromkeys(figure["title"].split(": ")[0] for figure in drawn.figures))
    is_profile = bool(drawn.figures) and all("ticks" in figure["x"] for figure in drawn.figures)
    kind = "Percentile profile" if is_profile else distributions.KINDS[asked.kind]
    return f"{kind}: {labels[0]}" if len(labels) == 1 else kind


def _plate(answer: _Answer) -> plate.Plate:
    asked, runs, drawn = answer
    description = " ".join(map(summarise_distribution, drawn.figures, drawn.tables)) or "There is nothing to draw."
    figures = [figure.copy() for figure in drawn.figures]
    if figures:
        figures[0]["notes"] = [*figures[0]["notes"], *drawn.notes]
    return plate.Plate(_heading(asked, drawn), description, figures, f"Poolmark \u00b7 {subtitle(runs)}" if runs else "Poolmark")


def _files(request) -> files.DrawnFiles:
    answer = _answer(request)
    asked, runs, drawn = answer
    return files.DrawnFiles(
        f"/series/distribution?{asked.query}",
        len(runs),
        plate=lambda: _plate(answer),
        csv=lambda: curve_tables.distributions_csv(drawn),
        json=lambda: curve_tables.distributions_json(asked.query, drawn),
    )


as_svg, as_png, as_pdf, as_csv, as_json = files.file_views("poolmark-distribution", _files)
