"""Names of units, axes, series, colours and verdicts, the same for every kind of figure."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from ingest.catalogue import LESS, METRICS, MORE
from webapp.comparison.dimensions import DIMENSIONS, value_label
from webapp.comparison.model import Group, Panel, Verdict
from webapp.comparison.selection import DIVISORS, EURO, Selection
from webapp.formatting import numbers

COLOURS = 8
MARKERS = ("circle", "rect", "triangle", "rectRot", "star", "cross", "crossRot", "dash")
# Colours of names that occur on many pages; others get one by the hash of their name.
_FIXED_STYLES = {
    "": 0,
    "write.throughput": 0,
    "rewrite.throughput": 1,
    "read.throughput": 2,
    "off": 6,
    "lz4": 0,
    "lzjb": 4,
    "on": 3,
    "gzip-6": 1,
    "zstd-3": 2,
    "Linux": 0,
    "FreeBSD": 1,
    "SunOS": 2,
    "zfs": 0,
    "ext4": 1,
    "xfs": 2,
    "btrfs": 3,
}
BETTER_LABELS = {MORE: "higher is better", LESS: "lower is better"}


def panel_unit(selection: Selection, panel: Panel) -> tuple[str, float]:
    """(name, factor) of the unit in which the panel is drawn: value / factor is the drawn number."""
    top = max((group.high if group.high is not None else group.center for group in panel.groups), default=0.0)
    per = f" per {selection.normalise}" if selection.normalise in (*DIVISORS, EURO) else ""
    if panel.unit == "B/s":
        return (f"MB/s{per}", 1e6) if selection.unit == "MB" else (f"MiB/s{per}", float(2**20))
    if panel.unit == "B":
        steps = numbers.DECIMAL if selection.unit == "MB" else numbers.BINARY
        return next(((name + per, float(factor)) for name, factor in steps if top >= factor), (f"B{per}", 1.0))
    if panel.unit == "s":
        return next(((name, factor) for name, factor in numbers.SECONDS if top >= factor), ("s", 1.0))
    if panel.baseline and selection.normalise == "baseline":
        return f"ratio to {baseline_label(selection, panel)}", 1.0
    return {"1/s": (f"1/s{per}", 1.0), "%": ("%", 1.0)}.get(panel.unit, ("ratio", 1.0))


def baseline_label(selection: Selection, panel: Panel) -> str:
    """The panel's baseline as it is shown."""
    return (x_label if panel.baseline in panel.xs else series_label)(selection, panel.baseline)


def series_label(selection: Selection, name: str) -> str:
    """A series as it is shown: a metric by its operation, a value of a dimension by its label."""
    if name in METRICS:
        return METRICS[name].label.split(",")[0]
    return value_label(DIMENSIONS[selection.series], name) if selection.series in DIMENSIONS else ""


def x_label(selection: Selection, text: str) -> str:
    return value_label(DIMENSIONS[selection.x], text) if selection.x in DIMENSIONS else "all"


def verdict_words(group: Group) -> str:
    """The claim with its ratio: `faster in this session: 1.52x (1.41 to 1.63)`, or the ratio and what is missing: `0.75x: one run
    each`; empty for the baseline and where none is chosen."""
    verdict = group.verdict
    if verdict is None:
        return ""
    ratio = ratio_words(verdict)
    if verdict.low is not None and verdict.high is not None:
        ratio += f" ({numbers.number(verdict.low)} to {numbers.number(verdict.high)})"
    if verdict.word:
        return ", ".join([": ".join(part for part in (claim_label(group), ratio) if part), *verdict.doubts])
    return ": ".join(part for part in (ratio, verdict.withheld) if part)


def ratio_words(verdict: Verdict) -> str:
    """`1.52x`, `> 1.52x` where the true ratio lies beyond; empty where there is none."""
    sign = {"above": f">{numbers.NO_BREAK_SPACE}", "below": f"<{numbers.NO_BREAK_SPACE}"}.get(verdict.ratio_bound, "")
    return f"{sign}{numbers.ratio(verdict.ratio)}" if verdict.ratio is not None else ""


def claim_label(group: Group) -> str:
    """The claim as it is shown: with the name of the group where it is about two systems."""
    word = group.verdict.word if group.verdict else ""
    return word.replace("A is ", "", 1).removesuffix(" than B") if word.startswith("A is ") else word


def series_styles(names: Sequence[str]) -> dict[str, int]:
    """Series -> number of its colour and marker (0 to 7): by its name, the next free one where two series collide."""
    taken: dict[int, str] = {}
    for name in sorted(names, key=lambda name: (name not in _FIXED_STYLES, name)):
        wanted = _FIXED_STYLES.get(name, _hashed_style(name))
        free = next((style % COLOURS for style in range(wanted, wanted + COLOURS) if style % COLOURS not in taken), wanted)
        taken.setdefault(free, name)
    styles = {name: style for style, name in taken.items()}
    return {name: styles.get(name, _hashed_style(name)) for name in names}


def _hashed_style(name: str) -> int:
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % COLOURS


def panel_title(selection: Selection, panel: Panel) -> str:
    """The panel's metrics and, where there is one, its value of the facet; then tool, version and size."""
    label = (
        METRICS[panel.metrics[0]].label
        if len(panel.metrics) == 1
        else ", ".join(METRICS[metric].label.split(",")[0] for metric in panel.metrics)
    )
    if selection.facet and panel.title:
        label += f"; {DIMENSIONS[selection.facet].label.lower()} {value_label(DIMENSIONS[selection.facet], panel.title)}"
    return f"{label}: {panel.workload}" if panel.workload else label


def axis_title(selection: Selection) -> str:
    return DIMENSIONS[selection.x].label if selection.x in DIMENSIONS else ""
