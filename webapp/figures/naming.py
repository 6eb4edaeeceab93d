"""Names of units, axes, series, colours and verdicts, the same for every kind of figure."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

from ingest.catalogue import IOPS, LESS, METRICS, MORE
from webapp.comparison.dimensions import AGGREGATE, DIMENSIONS, UNKNOWN, in_sentence, is_known_value, value_label
from webapp.comparison.model import Group, Panel, Verdict
from webapp.comparison.selection import DIVISORS, EURO, METRIC, Selection
from webapp.formatting import numbers

COLOURS = 8
PERCENTILE = "Percentile"
LIGHTNESS = (46, 57, 26, 55, 59, 36, 23, 43)
"""L* of the colours of the light theme, by style."""
MIN_DIFFERENCE = 9
"""L* by which neighbouring series differ while there are colours left, so that they are distinguished without hue."""
# None is round: a dot is a run.
MARKERS = ("triangleDown", "rect", "triangle", "rectRot", "star", "cross", "crossRot", "dash")
# Colours of names that occur on many pages; others get one by the hash of their name.
_FIXED_STYLES = {
    "": 0,
    "write.throughput": 0,
    "rewrite.throughput": 1,
    "read.throughput": 2,
    "off": 6,
    "lz4": 0,
    "lzjb": 5,
    "on": 3,
    "gzip-6": 1,
    "zstd-3": 2,
    "Linux": 0,
    "FreeBSD": 1,
    "SunOS": 2,
    "zfs": 0,
    "ext4": 1,
    "xfs": 2,
    "btrfs": 5,
}
THROUGHPUTS = {
    "MiB": (("GiB/s", 2.0**30, 10.0), ("MiB/s", 2.0**20, 1.0), ("KiB/s", 2.0**10, 1.0), ("B/s", 1.0, 0.0)),
    "MB": (("GB/s", 1e9, 10.0), ("MB/s", 1e6, 1.0), ("kB/s", 1e3, 1.0), ("B/s", 1.0, 0.0)),
}
"""(unit, B/s in it, how many of them the highest value must reach), the greatest first."""
DURATIONS = (
    ("h", 3600.0, 2.0),
    ("min", 60.0, 1000 / 60),
    ("s", 1.0, 1.0),
    ("ms", 1e-3, 1.0),
    ("\u00b5s", 1e-6, 1.0),
    ("ns", 1e-9, 0.0),
)
"""The same for seconds: 999 s, 16.7 min, 2 h."""
SCORE = "score"
"""What stands in the place of a unit where numbers are scores."""
MIN_TIMES, MIN_SHARE = 2.0, 0.05
"""The ratio from which on it is said as such, and the per cent below which two are equal."""
_BEYOND = {"above": "more than ", "below": "less than ", "": ""}
BETTER_LABELS = {MORE: "higher is better", LESS: "lower is better"}


def panel_unit(selection: Selection, panel: Panel) -> tuple[str, float]:
    """(name, factor) of the unit in which the panel is drawn: value / factor is the drawn number."""
    top = panel.top or highest(panel)
    per = f" per {selection.normalise}" if selection.normalise in (*DIVISORS, EURO) else ""
    if panel.unit == "B/s":
        name, factor = _fitting(THROUGHPUTS[selection.unit], top)
        return f"{name}{per}", factor
    if panel.unit == "B":
        steps = numbers.DECIMAL if selection.unit == "MB" else numbers.BINARY
        return next(((name + per, float(factor)) for name, factor in steps if top >= factor), (f"B{per}", 1.0))
    if panel.unit == "s":
        return _fitting(DURATIONS, top)
    if panel.baseline and selection.normalise == "baseline":
        return f"ratio to {baseline_label(selection, panel)}", 1.0
    if all(METRICS[metric].quantity == "score" for metric in panel.metrics):
        return SCORE, 1.0
    rate = "IOPS" if IOPS.issuperset(panel.metrics) else "1/s"
    return {"1/s": (f"{rate}{per}", 1.0), "%": ("%", 1.0)}.get(panel.unit, ("ratio", 1.0))


def stat_name(stat: str, unit: str) -> str:
    """A statistic by its name, as it is computed of numbers in this base unit: the mean of rates is the harmonic one."""
    if stat in ("mean", "bootstrap"):
        return "harmonic mean" if unit in ("B/s", "1/s") else "mean"
    return "geometric mean" if stat == "geometric" else stat


def fitting_unit(unit: str, top: float) -> tuple[str, float]:
    """(name, factor) of the unit in which numbers of a base unit up to `top` are drawn by default."""
    if unit == "B/s":
        return _fitting(THROUGHPUTS["MiB"], top)
    if unit == "B":
        return next(((name, float(factor)) for name, factor in numbers.BINARY if top >= factor), ("B", 1.0))
    return _fitting(DURATIONS, top) if unit == "s" else ({"1": "number"}.get(unit, unit), 1.0)


def highest(panel: Panel) -> float:
    """The highest centre or end of an interval, in base units."""
    return max((group.high if group.high is not None else group.center for group in panel.groups), default=0.0)


def _fitting(units: Sequence[tuple[str, float, float]], top: float) -> tuple[str, float]:
    """(name, factor) of the first unit of which the highest value reaches enough; of zero, the unit of middle size."""
    fitting = ((name, factor) for name, factor, least in units if top >= least * factor)
    return next(fitting) if top > 0 else next((name, factor) for name, factor, _ in units if name in ("MiB/s", "MB/s", "s"))


def legend_title(selection: Selection) -> str:
    """The name of the dimension of the series; empty where there is none."""
    return "Metric" if selection.series == METRIC else DIMENSIONS[selection.series].label if selection.series in DIMENSIONS else ""


def baseline_label(selection: Selection, panel: Panel) -> str:
    """The panel's baseline as it is shown."""
    return (x_label if panel.baseline in panel.xs else series_label)(selection, panel.baseline)


def series_label(selection: Selection, name: str) -> str:
    """A series as it is shown: by the author's name, a metric by its operation, a value of a dimension by its label."""
    return selection.words.name(METRIC if name in METRICS else selection.series, name) or series_value(selection, name)


def is_metric(series: str) -> bool:
    """Whether the name of a series is that of a metric."""
    return series in METRICS


def series_value(selection: Selection, name: str) -> str:
    """A series as its configuration has it."""
    if name in METRICS:
        return metric_names(selection.metrics).get(name) or metric_names((name,))[name]
    return _axis_label(selection.series, name) if selection.series in DIMENSIONS else ""


@lru_cache(1000)
def metric_names(metrics: tuple[str, ...]) -> Mapping[str, str]:
    """The shortest names that tell these metrics apart: `Delete files`, `Create files (in order)`, `Create files (random)`."""
    parts = {name: METRICS[name].label.split(", ") for name in metrics if name in METRICS}

    def name(metric: str) -> str:
        own = parts[metric]
        others = [other for key, other in parts.items() if key != metric]
        needed = next((n for n in range(1, len(own)) if all(other[:n] != own[:n] for other in others)), len(own))
        return own[0] + (f" ({', '.join(own[1:needed])})" if needed > 1 else "")

    return {metric: name(metric) for metric in parts}


def x_label(selection: Selection, text: str) -> str:
    """A value of the x axis as it is shown: by the author's name, else by its label."""
    return selection.words.name(selection.x, text) or x_value(selection, text)


def x_value(selection: Selection, text: str) -> str:
    """A value of the x axis as its configuration has it."""
    return _axis_label(selection.x, text) if selection.x in DIMENSIONS else "all"


def _axis_label(axis: str, text: str) -> str:
    """A value of an axis; a name that many machines have names no host: `unknown (localhost)`."""
    label = value_label(DIMENSIONS[axis], text)
    return label if text == UNKNOWN or is_known_value(axis, text) else f"unknown ({label})"


def verdict_words(group: Group) -> str:
    """The claim with its ratio: `faster in this session: 52 % (+41 to +63 %)`, or the ratio and what is missing:
    `25 % slower: one run each`; empty for the baseline and where none is chosen."""
    verdict = group.verdict
    if verdict is None:
        return ""
    ratio = ratio_words(verdict, group.metric)
    if verdict.word:
        ratio = ratio.replace(f" {claim_label(group).split()[0]}", "", 1)
        return ", ".join([": ".join(part for part in (claim_label(group), ratio) if part), *verdict.doubts])
    return ": ".join(part for part in (ratio, verdict.withheld) if part)


def ratio_words(verdict: Verdict, metric: str) -> str:
    """`52 % faster (+41 to +63 %)`, `38 % slower (−41 to −35 %)`, `2.60× (2.10 to 3.20×)`, `more than 52 % faster` where the true
    ratio lies beyond; empty where there is none."""
    if verdict.ratio is None:
        return ""
    interval = interval_words(verdict.ratio, verdict.low, verdict.high)
    return relative_words(metric, verdict.ratio, verdict.ratio_bound) + (f" ({interval})" if interval else "")


def interval_words(ratio: float | None, low: float | None, high: float | None) -> str:
    """The interval of a ratio as that is said: in per cent more or less, from twice on as ratios."""
    if ratio is None or low is None or high is None:
        return ""
    if ratio >= MIN_TIMES:
        return f"{numbers.number(low)} to {numbers.number(high)}{numbers.TIMES}"
    ends = (f"{'+' if end > 1 else ''}{numbers.number(100 * (end - 1), 2)}" for end in (low, high))
    return f"{' to '.join(ends)}{numbers.NO_BREAK_SPACE}%"


def relative_words(metric: str, ratio: float, bound: str = "") -> str:
    """How something compares, in the words of its metric: `38 % slower`, `52 % longer`, `28 % less time`, `5 % higher`, from twice
    on `2.60×`. `bound`: `above` or `below` where the true ratio lies beyond."""
    share = round(abs(ratio - 1) * 100, 6)
    if ratio >= MIN_TIMES or (share < MIN_SHARE and bound):
        return f"{_BEYOND[bound]}{numbers.ratio(ratio)}"
    if share < MIN_SHARE:
        return "equal"
    quantity, unit = METRICS[metric].quantity, METRICS[metric].unit
    words = (
        ("faster", "slower")
        if unit in ("B/s", "1/s")
        else ("longer", "less time")
        if quantity == "elapsed"
        else ("higher", "lower")
    )
    # As many digits as show that it is not everything.
    digits = 2 if share < 99 else 3 + math.floor(-math.log10(max(100 - share, 1e-6)))
    sign = "" if not bound else "more than " if (bound == "above") == (ratio > 1) else "at most "
    return f"{sign}{numbers.number(share, digits)}{numbers.NO_BREAK_SPACE}% {words[ratio < 1]}"


def claim_label(group: Group) -> str:
    """The claim as it is shown: with the name of the group where it is about two systems."""
    word = group.verdict.word if group.verdict else ""
    return word.replace("A is ", "", 1).removesuffix(" than B") if word.startswith("A is ") else word


def series_styles(names: Sequence[str]) -> dict[str, int]:
    """Series -> number of its colour and marker (0 to 7): by its name; where two collide, or neighbours would be equally light, the
    next free one."""
    styles: dict[str, int] = {}
    for name in sorted(names, key=lambda name: (name not in _FIXED_STYLES, name)):
        wanted = _FIXED_STYLES.get(name, _hashed_style(name))
        free = [style % COLOURS for style in range(wanted, wanted + COLOURS) if style % COLOURS not in styles.values()]
        if not free:
            styles[name] = _hashed_style(name)
        elif name in _FIXED_STYLES:
            styles[name] = free[0]
        else:
            at = names.index(name)
            beside = [styles[other] for other in (*names[max(0, at - 1) : at], *names[at + 1 : at + 2]) if other in styles]
            differing = (style for style in free if _difference(style, beside) >= MIN_DIFFERENCE)
            styles[name] = next(differing, max(free, key=lambda style: _difference(style, beside)))
    return {name: styles[name] for name in names}


def _difference(style: int, others: Sequence[int]) -> float:
    """The least difference in lightness to one of the others."""
    return min((abs(LIGHTNESS[style] - LIGHTNESS[other]) for other in others), default=100.0)


def _hashed_style(name: str) -> int:
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % COLOURS


def panel_title(selection: Selection, panel: Panel) -> str:
    """The panel's metrics and, where there is one, its value of the facet; then tool, version and size."""
    label = metrics_label(selection, panel)
    return f"{label}: {panel.workload}" if panel.workload else label


def metrics_label(selection: Selection, panel: Panel) -> str:
    """The panel's metrics and, where there is one, its value of the facet."""
    label = (
        METRICS[panel.metrics[0]].label
        if len(panel.metrics) == 1
        else ", ".join(series_label(selection, metric) for metric in panel.metrics)
    )
    if selection.facet and panel.title:
        label += f"; {in_sentence(DIMENSIONS[selection.facet].label)} {value_label(DIMENSIONS[selection.facet], panel.title)}"
    return label


def axis_title(selection: Selection) -> str:
    if selection.x == AGGREGATE and selection.kind == "lines":
        return PERCENTILE
    return DIMENSIONS[selection.x].label if selection.x in DIMENSIONS else ""
