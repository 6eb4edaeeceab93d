"""Draws the figures below with matplotlib, which is all that it needs:  python3 figure.py [FILE.pdf|.svg|.png]"""

import json
import sys
import textwrap

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

LOOK = json.loads(r"""@LOOK@""")
FIGURES = json.loads(r"""@FIGURES@""")
"""Each with title, unit, x, series and groups: centre, ends of the whisker, n, and the value of every run in `points`."""

COLOURS = ["#0072b2", "#d07000", "#004733", "#c4619a", "#4496c6", "#6e5000", "#33373c", "#7453b3"]
GREYS = ["#4d4d4d", "#b8b8b8", "#1a1a1a", "#8c8c8c", "#d6d6d6", "#666666", "#333333", "#a3a3a3"]
HATCHES = ["", "////", "\\\\\\\\", "----", "xxxx", "||||", "++++", "//--"]
DASHES = ["-", "--", ":", "-.", (0, (5, 1, 1, 1)), (0, (8, 2)), (0, (1, 3)), (0, (4, 1))]
MARKERS = ["v", "s", "^", "D", "*", "P", "X", "_"]


def colour(series):
    return (GREYS if LOOK["grey"] else COLOURS)[series["style"] % 8]


def value_label(figure):
    return ", ".join(part for part in (figure["unit"], figure["better"]) if part)


def scale(axis, figure):
    """A linear scale, or a logarithmic one with plain numbers."""
    (axis.axes.set_xscale if axis is axis.axes.xaxis else axis.axes.set_yscale)(figure["scale"])
    if figure["scale"] == "log":
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter("{x:g}")


def each_series(figure):
    """Every series with its groups and its offset from the category, for bars of the returned width."""
    width = 0.8 / len(figure["series"])
    for index, series in enumerate(figure["series"]):
        groups = [group for group in figure["groups"] if group["series"] == index]
        yield series, groups, (index - (len(figure["series"]) - 1) / 2) * width, width


def centers(group):
    """The centre; one of each session where they are too unlike for one."""
    return group.get("parts") if len(group.get("parts") or []) > 1 else [group["center"]]


def has_bar(group):
    return group["n"] > 1 and len(centers(group)) == 1 and group.get("bound") != "below"


def whisker(axes, place, group, swap=False):
    """The whisker, every run, and an arrow from every bound."""
    if group["low"] is not None and group["high"] is not None and len(centers(group)) == 1:
        (axes.hlines if swap else axes.vlines)(place, group["low"], group["high"], color="black", linewidth=0.8, zorder=4)
    runs = [point[0] for point in group["points"]]
    if len(runs) > 1:
        places = [place] * len(runs)
        axes.scatter(
            *((runs, places) if swap else (places, runs)), s=5, color="black", edgecolors="white", linewidths=0.4, zorder=6
        )
    ends = {(point[0], point[1]) for point in group["points"] if len(point) > 1}  # runs that could not be measured
    for value, side in ends | ({(group["center"], group["bound"])} if group.get("bound") else set()):
        sign = 9 if side == "above" else -9
        at = (value, place) if swap else (place, value)
        arrow = {"arrowstyle": "<-", "linewidth": 0.8}
        axes.annotate("", at, xytext=(sign, 0) if swap else (0, sign), textcoords="offset points", arrowprops=arrow)


def draw_bars(axes, figure):
    log = figure["scale"] == "log"
    for series, groups, shift, width in each_series(figure):
        style = {"color": colour(series), "hatch": HATCHES[series["style"] % 8] if LOOK["grey"] else None, "edgecolor": "white"}
        solid = [] if log else [group for group in groups if has_bar(group)]
        axes.bar(
            [group["x"] + shift for group in solid], [group["center"] for group in solid], width, label=series["name"], **style
        )
        for group in groups:
            place = group["x"] + shift
            if group.get("box"):
                low, q1, _, q3, high = group["box"]
                axes.vlines(place, low, high, color="black", linewidth=0.8)
                axes.bar(place, q3 - q1, width * 0.8, bottom=q1, color=colour(series), zorder=3)
            if group not in solid:
                marks = centers(group)
                axes.plot([place] * len(marks), marks, MARKERS[series["style"] % 8], color=colour(series), markerfacecolor="white")
            whisker(axes, place, group)
    label_categories(axes, figure)
    axes.set_ylabel(value_label(figure))
    scale(axes.yaxis, figure) if log else axes.set_ylim(bottom=0)


def draw_box(axes, figure):
    for group in figure["groups"]:
        group["n"] = 1 if not group.get("box") else group["n"]
    log, figure["scale"] = figure["scale"], "log"  # no bars from zero
    draw_bars(axes, figure)
    figure["scale"] = log
    axes.set_yscale("linear")
    scale(axes.yaxis, figure)


def draw_dots(axes, figure):
    if figure["kind"] == "ratio":
        axes.axvline(1, color="grey", linewidth=0.8)
    for series, groups, shift, _ in each_series(figure):
        places = [(group["x"] + shift, center) for group in groups for center in centers(group)]
        axes.plot(
            [center for _, center in places],
            [at for at, _ in places],
            MARKERS[series["style"] % 8],
            color=colour(series),
            label=series["name"],
        )
        for group in groups:
            whisker(axes, group["x"] + shift, dict(group, points=[]) if figure["kind"] == "ratio" else group, swap=True)
    axes.set_yticks(range(len(figure["x"]["values"])), [textwrap.fill(name, 24) for name in figure["x"]["values"]])
    axes.invert_yaxis()
    axes.set_xlabel(value_label(figure))
    scale(axes.xaxis, figure)


def draw_lines(axes, figure):
    numbers = figure["x"]["numbers"]
    for series, groups, _, _ in each_series(figure):
        known = sorted((numbers[group["x"]], group["x"], group) for group in groups if numbers[group["x"]] is not None)
        style = {"marker": MARKERS[series["style"] % 8], "color": colour(series)}
        joined = [(x, group["center"]) for x, _, group in known if len(centers(group)) == 1 and not group.get("bound")]
        alone = [(x, y) for x, _, group in known if len(centers(group)) > 1 or group.get("bound") for y in centers(group)]
        dashes = DASHES[series["style"] % 8]
        axes.plot([x for x, _ in joined], [y for _, y in joined], linestyle=dashes, label=series["name"], **style)
        axes.plot([x for x, _ in alone], [y for _, y in alone], linestyle="none", **style)
        for x, _, group in known:
            whisker(axes, x, group)
    axes.set_xscale(figure["x"].get("scale", "linear"))
    ticks = [(number, name) for number, name in zip(numbers, figure["x"]["values"], strict=True) if number is not None]
    axes.set_xticks([number for number, _ in ticks], [name for _, name in ticks])
    axes.minorticks_off()
    axes.set_xlabel(figure["x"]["label"])
    axes.set_ylabel(value_label(figure))
    scale(axes.yaxis, figure) if figure["scale"] == "log" else axes.set_ylim(bottom=0)


def draw_scatter(axes, figure):
    for series, groups, _, _ in each_series(figure):
        across = [group["across"]["center"] for group in groups]
        axes.plot(
            across, [group["center"] for group in groups], MARKERS[series["style"] % 8], color=colour(series), label=series["name"]
        )
        for group in groups:
            whisker(axes, group["across"]["center"], dict(group, points=[]))
            whisker(axes, group["center"], dict(group["across"], points=[]), swap=True)
            name = figure["x"]["values"][group["x"]]
            axes.annotate(name, (group["across"]["center"], group["center"]), xytext=(3, 3), textcoords="offset points")
    axes.set_xlabel(", ".join(figure["x"][key] for key in ("label", "unit", "better") if figure["x"].get(key)))
    axes.set_ylabel(value_label(figure))
    scale(axes.xaxis, figure)
    scale(axes.yaxis, figure)


def draw_heat(axes, figure):
    rows, columns = len(figure["series"]), len(figure["x"]["values"])
    cells = [[float("nan")] * columns for _ in range(rows)]
    for group in figure["groups"]:
        cells[group["series"]][group["x"]] = group["center"]
    drawn = axes.imshow(cells, cmap="Greys" if LOOK["grey"] else "Blues", norm=figure["scale"], aspect="auto", origin="lower")
    axes.figure.colorbar(drawn, ax=axes, label=value_label(figure))
    axes.set_yticks(range(rows), [series["name"] for series in figure["series"]])
    label_categories(axes, figure)


def label_categories(axes, figure):
    names = figure["x"]["values"]
    turned = {"rotation": 90} if sum(map(len, names)) * LOOK["size"] * 0.2 > LOOK["width"] - 15 else {}
    axes.set_xticks(range(len(names)), names, **turned)
    axes.set_xlabel(figure["x"]["label"])


DRAW = {
    "bars": draw_bars,
    "box": draw_box,
    "dots": draw_dots,
    "ratio": draw_dots,
    "lines": draw_lines,
    "scatter": draw_scatter,
    "heat": draw_heat,
}


def main():
    """Draw every figure below the others and save them."""
    plt.rc("font", family=LOOK["font"], size=LOOK["size"])
    plt.rc("pdf", fonttype=42)
    plt.rc("svg", fonttype="none")
    plt.rc("hatch", color="white")
    size = (LOOK["width"] / 25.4, LOOK["height"] / 25.4)
    plate, panels = plt.subplots(len(FIGURES), 1, figsize=size, squeeze=False, layout="constrained")
    for axes, figure in zip(panels[:, 0], FIGURES, strict=True):
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_axisbelow(True)
        axes.grid(axis="x" if figure["kind"] in ("dots", "ratio") else "y", alpha=0.4)
        DRAW[figure["kind"]](axes, figure)
        if len(FIGURES) > 1:
            axes.set_title(figure["title"], loc="left", fontsize=LOOK["size"])
    if len(FIGURES[0]["series"]) > 1 and FIGURES[0]["kind"] != "heat":
        handles, names = panels[0, 0].get_legend_handles_labels()
        plate.legend(handles, names, frameon=False, ncols=2, loc="outside upper left", title=FIGURES[0].get("legend"))
    plate.savefig(sys.argv[1] if len(sys.argv) > 1 else "figure.pdf", dpi=600)
    return plate


if __name__ == "__main__":
    main()
