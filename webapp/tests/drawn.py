"""Plain figures and stamps for tests of what is printed."""
from __future__ import annotations

from webapp.figures.bars import MARKERS
from webapp.formats.drawing.stamp import Stamp

STAMP = Stamp("https://poolmark.example.org/p/k3m9xq2abc", "2026-11-21T08:00:00+00:00", 12, "0123456789abcdef" * 4,
              "Write & read, 50 % of {all} #1_2", "Anna Grün; B_C")


def figure(xs: list[str], names: list[str], **told) -> dict:
    """Grouped bars with three repetitions each; every value differs."""
    groups = []
    for x in range(len(xs)):
        for series in range(len(names)):
            center = 100.0 + 10 * x + series
            groups.append({"x": x, "series": series, "center": center, "low": center - 4, "high": center + 5, "n": 3,
                           "configurations": 1, "verdict": "", "points": [[center - 4, ""], [center, ""], [center + 5, ""]]})
    return {"title": "Sequential write, block, throughput", "unit": "MiB/s", "better": "higher is better", "scale": "linear",
            "x": {"label": "Compression", "values": xs}, "groups": groups,
            "series": [{"name": name, "style": at % 8, "marker": MARKERS[at % 8]} for at, name in enumerate(names)]} | told
