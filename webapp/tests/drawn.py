"""Plain figures and stamps for tests of what is printed."""

from __future__ import annotations

from webapp.figures.naming import MARKERS
from webapp.figures.stamp import Stamp

STAMP = Stamp(
    "https://poolmark.example.org/p/k3m9xq2abc",
    "2026-11-21T08:00:00+00:00",
    12,
    "0123456789abcdef" * 4,
    "Write & read, 50 % of {all} #1_2",
    "Anna Grün; B_C",
)


def figure(xs: list[str], names: list[str], **told) -> dict:
    """Grouped bars with three repetitions each; every value differs."""
    groups = []
    for x in range(len(xs)):
        for series in range(len(names)):
            center = 100.0 + 10 * x + series
            groups.append(
                {
                    "x": x,
                    "series": series,
                    "center": center,
                    "low": center - 4,
                    "high": center + 5,
                    "n": 3,
                    "configurations": 1,
                    "verdict": "",
                    "points": [[center - 4, ""], [center, ""], [center + 5, ""]],
                }
            )
    return {
        "title": "Sequential write, block, throughput",
        "unit": "MiB/s",
        "better": "higher is better",
        "scale": "linear",
        "x": {"label": "Compression", "values": xs},
        "groups": groups,
        "series": [{"name": name, "style": at % 8, "marker": MARKERS[at % 8]} for at, name in enumerate(names)],
    } | told


def every_kind() -> list[dict]:
    """A figure of each kind, in the shape that `webapp/figures/plain.py` tells."""
    xs, names = ["4 KiB", "64 KiB", "1 MiB", "unknown"], ["Linux", "FreeBSD"]
    lines = figure(xs, names, kind="lines", notes=["Not on the axis, but in the table: 6 runs."])
    lines["x"] |= {"numbers": [4096, 65536, 2**20, None], "scale": "log"}
    boxes = figure(xs, names, kind="box")
    for group in boxes["groups"][1:]:
        group |= {
            "box": [group["center"] + step for step in (-4, -2, 0, 2, 5)],
            "points": [[group["center"] + step, ""] for step in (-4, -2, 0, 2, 5)],
        }
    scatter = figure(xs, names, kind="scatter")
    scatter["x"] |= {"label": "Sequential read, throughput", "unit": "MiB/s", "better": "higher is better"}
    for at, group in enumerate(scatter["groups"]):
        center = 200.0 + 7 * at
        group["across"] = {"center": center} | ({"low": None, "high": None} if at % 2 else {"low": center - 10, "high": center + 9})
    heat = figure(xs, [f"{2**at} MiB" for at in range(10)], kind="heat", reach=[100.0, 139.0])
    del heat["groups"][7]
    ratio = figure(
        ["off", "lz4", "a very long name of a configuration that must be broken somewhere"],
        names,
        kind="ratio",
        scale="log",
        unit="ratio to off",
    )
    for group in ratio["groups"]:
        group |= {
            "center": group["center"] / 110,
            "low": group["low"] / 110,
            "high": group["high"] / 110,
            "word": "better",
            "pairs": 3,
            "points": [[point[0] / 110, ""] for point in group["points"]],
        }
    return [
        figure(xs, names, kind="bars"),
        figure(xs, names, kind="bars", scale="log"),
        figure(xs, names, kind="dots"),
        lines,
        boxes,
        scatter,
        heat,
        ratio,
    ]


SUBTITLE = "ext4, xfs, btrfs, zfs \u00b7 Xeon E5-1620, 16 GiB \u00b7 n = 3 each"
NOT_RUN = "not run with this workload; has file size 256 MiB (3 runs)"


def with_signs(kind: str = "bars", scale: str = "linear") -> dict:
    """A figure of two series with bounds on either side, sessions that are too unlike, a lone bound and an empty place."""
    (made,) = (one for one in every_kind() if (one["kind"], one["scale"]) == (kind, scale))
    made["subtitle"] = SUBTITLE
    for group in made["groups"]:
        group |= {"low": None, "high": None}
        group.pop("box", None)
        if "across" in group:
            group["across"] |= {"low": None, "high": None}
    above, below, parts, lone = made["groups"][:4]
    above |= {"bound": "above", "points": above["points"][:1]}
    below |= {"bound": "below", "points": []}
    lone |= {"bound": "above", "points": [], "n": 1}
    step = 0.1 if kind == "ratio" else 20.0
    parts["parts"] = [parts["center"] - step, parts["center"] + step]
    empty = made["groups"].pop()
    made["empty"] = [{"x": empty["x"], "series": empty["series"], "text": NOT_RUN}]
    return made


def curves(**changes) -> dict:
    """Two curves over time: one with gaps, the other with a band."""
    made = {
        "kind": "time",
        "title": "Write throughput: sda",
        "subtitle": "fio",
        "unit": "MiB/s",
        "better": "",
        "scale": "linear",
        "x": {"label": "s since the start of the run", "values": [], "scale": "linear", "low": 0.0, "high": 10.0},
        "series": [{"name": 'ext4 <b>&"', "style": 0, "marker": "dash"}, {"name": "xfs", "style": 1, "marker": "dash"}],
        "groups": [],
        "notes": ["1 gap"],
        "legend": "File system",
        "phases": [{"name": "write", "start": 0.0, "end": 6.0}, {"name": "read", "start": 6.0, "end": 12.0}],
        "curves": [
            {"series": 0, "t": [0.0, 1.0, 5.0, 6.0, 9.0], "v": [1.0, 2.0, 3.0, 4.0, 5.0], "breaks": [2, 4], "total": 5}
            | {"raw": "/archives/1/raw/a", "lines": [1, 2, 3, 4, 5]},
            {
                "series": 1,
                "t": [1.0, 2.0],
                "v": [2.0, 3.0],
                "low": [1.0, 2.5],
                "high": [4.0, 7.0],
                "n": [3, 3],
                "breaks": [],
                "total": 6,
            },
        ],
    }
    return made | changes


def distribution(kind: str, scale: str = "linear") -> dict:
    """Two distributions over 1 to 100 ms."""
    both = [
        {"series": at, "t": [1.0, 10.0, 10.0, 100.0], "v": [0.0, 20.0, 60.0 + at, 100.0], "breaks": [], "total": 40}
        for at in (0, 1)
    ]
    x = {"label": "ms", "values": [], "scale": scale, "low": 1.0, "high": 100.0}
    return curves(kind=kind, unit="% of the points", x=x, curves=both, phases=[])


WORDS = (
    ("faster in this session", 1.52, 1.41, 1.63, ("drift not excluded",), ""),
    ("no difference seen", 1.01, 0.97, 1.05, (), ""),
    ("", 0.75, None, None, (), "one run each, spread unknown; at least 3 a side"),
)


def record(figures: list[dict], baseline: str = "off") -> dict:
    """A record of the current version of which the tables are made: the first group of a figure is the baseline, the others are
    judged in turn."""
    panels = [_panel(one, baseline) for one in figures]
    return {
        "version": 3,
        "title": STAMP.title,
        "authors": STAMP.authors,
        "address": STAMP.address,
        "frozen_at": STAMP.frozen_at,
        "counts": {"runs": STAMP.runs},
        "flags": [],
        "method": {"sentence": "median of runs, 95 % interval", "stat": "median"},
        "panels": panels,
        "figures": figures,
    }


def _panel(one: dict, baseline: str) -> dict:
    axes = {"x": one["x"]["values"], "series": [series["name"] for series in one["series"]]}
    return {
        "title": one["title"],
        "metrics": ["write.throughput"],
        "unit": "B/s",
        "shown": {"unit": one["unit"], "factor": 2.0**20},
        **{axis: {"label": "Compression", "values": [{"text": text, "label": text} for text in axes[axis]]} for axis in axes},
        "baseline": axes["x"][0],
        "baseline_label": baseline,
        "groups": [_group(group, at, axes) for at, group in enumerate(one["groups"])],
    }


def _group(group: dict, at: int, axes: dict) -> dict:
    word, ratio, low, high, doubts, withheld = WORDS[at % 3]
    verdict = {"word": word, "ratio": ratio, "low": low, "high": high, "doubts": doubts, "withheld": withheld, "ratio_bound": ""}
    more = {key: group[key] for key in ("bound", "parts") if key in group}
    if "parts" in more:
        more["parts"] = [part * 2.0**20 for part in more["parts"]]
    return {
        "metric": "write.throughput",
        "x": axes["x"][group["x"]],
        "series": axes["series"][group["series"]],
        "facet": "",
        "runs": group["n"],
        "configurations": 1,
        **{key: None if group[key] is None else group[key] * 2.0**20 for key in ("center", "low", "high")},
        "interval": "none" if group["low"] is None else "median",
        "flags": [],
        "values": [],
        "verdict": verdict if at else None,
        **more,
    }
