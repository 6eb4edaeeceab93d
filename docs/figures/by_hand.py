"""The left pictures of docs/figures.md: bars as an author sets them with matplotlib from the record of a permalink.

python3 docs/figures/by_hand.py ID.json by-hand.png
"""

import json
import statistics
import sys
import textwrap

import matplotlib.pyplot as plt

plt.rcParams.update({"font.size": 8, "pdf.fonttype": 42, "axes.spines.top": False, "axes.spines.right": False})


def main(record, target):
    with open(record, encoding="utf-8") as file:
        data = json.load(file)["figures"][0]
    names, series = data["x"]["values"], data["series"]
    figure, axes = plt.subplots(figsize=(84.7 / 25.4, 55 / 25.4), layout="constrained")
    width = 0.8 / len(series)
    for index, one in enumerate(series):
        groups = [group for group in data["groups"] if group["series"] == index]
        runs = [[point[0] for point in group["points"]] for group in groups]
        means = [statistics.fmean(values) for values in runs]
        deviations = [statistics.stdev(values) if len(values) > 1 else 0 for values in runs]
        places = [group["x"] + (index - (len(series) - 1) / 2) * width for group in groups]
        axes.bar(places, means, width * 0.9, yerr=deviations, capsize=2, error_kw={"linewidth": 0.8}, label=one["name"])
    turned = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if len(names) > 6 else {}
    axes.set_xticks(range(len(names)), [textwrap.fill(name, 14) for name in names], **turned)
    axes.set_xlabel(data["x"]["label"])
    axes.set_ylabel(data["unit"])
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    if len(series) > 1:
        figure.legend(frameon=False, ncols=len(series), loc="outside upper left")
    figure.savefig(target, dpi=150)


if __name__ == "__main__":
    main(*sys.argv[1:3])
