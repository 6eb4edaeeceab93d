#!/usr/bin/env python3
"""Compute every centre again from data.csv alone, and compare it with groups.csv: Python 3.8, nothing else.

    python3 -I redo.py [FOLDER]

It shares no code with verify.py and does not read record.json. The statistic of a group is that of its column `stat`, of each
configuration or session (`over`) and then of these; of rates (per second) the mean is total work over total time. A run of which
only a bound is known has it as its value, and the side on which the true one lies as its `bound`: it takes part in medians. Means
over several workloads, unlike sessions and runs relative to a bound cannot be checked from data.csv alone: they are counted apart.
Ends with 1 where a centre differs.
"""

import sys

if __name__ == "__main__":  # a forged bundle may bring a csv.py: neither this folder nor the current one is imported from
    sys.dont_write_bytecode = True
    if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
        del sys.path[0]
    sys.path[:] = [place for place in sys.path if place not in ("", ".")]
    import os

    _near = [os.path.realpath(place) for place in (os.curdir, os.path.dirname(os.path.abspath(__file__)))]
    sys.path[:] = [place for place in sys.path if os.path.realpath(place) not in _near]

import csv
import math
import os


def mean(numbers):
    return math.fsum(numbers) / len(numbers)


def median(numbers):
    ordered, half = sorted(numbers), len(numbers) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def rate_mean(numbers):
    return len(numbers) / math.fsum(1 / number for number in numbers) if min(numbers) > 0 else 0.0


def split(rows, column):
    """The values of each configuration or session."""
    found: dict = {}
    for row in rows:
        found.setdefault(row[column], []).append(float(row["value"]))
    return list(found.values())


def bounded_median(rows, side):
    """The median of medians where runs have bounds: its lower or upper end, whichever is stated as a bound; both are one else."""
    low, high = [], []
    for row in rows:
        low.append(dict(row, value="0" if row.get("bound") == "below" else row["value"]))
        high.append(dict(row, value="inf" if row.get("bound") == "above" else row["value"]))
    ends = [median([median(some) for some in split(found, "configuration")]) for found in (low, high)]
    return ends[side == "below"] if side or ends[0] == ends[1] else math.nan


def center(group, rows):
    """The centre of the rows of a group; None where data.csv alone does not give it."""
    stat = group["stat"]
    if group["parts"] or not rows or any(row.get("bound") and row["measured"] for row in rows):
        return None
    if any(row.get("bound") for row in rows):
        return bounded_median(rows, group["bound"])
    if group["bound"] or ("bound" not in rows[0] and int(group["unmeasured"] or 0)):
        return None  # frozen before data.csv had the runs without a number
    every = [float(row["value"]) for row in rows]
    if stat == "geometric" and min(every) > 0:
        over = "configuration" if group.get("over") == "configurations" else "session"
        return math.exp(mean([mean([math.log(number) for number in some]) for some in split(rows, over)]))
    if stat in ("median", "geometric"):
        return median([median(some) for some in split(rows, "configuration")])
    if len({row["workload"] for row in rows}) > 1 or min(every) < 0:
        return None
    average = rate_mean if rows[0]["measured_unit"] in ("B/s", "1/s") else mean
    return average([average(some) for some in split(rows, "configuration")])


def main(folder):
    with open(os.path.join(folder, "data.csv"), encoding="utf-8", newline="") as file:
        values = list(csv.DictReader(file))
    with open(os.path.join(folder, "groups.csv"), encoding="utf-8", newline="") as file:
        groups = list(csv.DictReader(file))
    differing = unchecked = 0
    for group in groups:
        rows = [row for row in values if row["group"] == group["group"] and row["value"]]
        found = center(group, rows)
        unchecked += found is None
        stated = float(group["center"]) if group["center"] else None
        same = found is None or (stated is not None and abs(found - stated) <= 1e-9 * abs(stated))
        differing += not same
        name = " ".join(part for part in (group["x_label"], group["series_label"]) if part)
        result = (
            "cannot be checked from data.csv alone"
            if found is None
            else "{:.6g} {}, {}".format(found, group["unit"], "same" if same else f"NOT {stated!r}")
        )
        print(f"{group['metric']} {name}: {group['stat']} of {len(rows)}: {result}")
    print(f"{len(groups)} groups: {len(groups) - differing - unchecked} agree, {differing} differ, {unchecked} cannot be checked")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))))
