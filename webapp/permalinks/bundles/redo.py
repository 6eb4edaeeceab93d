#!/usr/bin/env python3
"""Compute every centre again from data.csv alone, and compare it with groups.csv: Python 3.8, nothing else.

    python3 redo.py [FOLDER]

It shares no code with verify.py and does not read record.json. Median: of each configuration's median. Geometric mean: of each
session's. Mean: of each configuration's; of rates (per second) total work over total time. Groups whose centre is a bound, and
means over several workloads, are left to verify.py. Ends with 1 where a centre differs.
"""

import csv
import math
import os
import sys


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


def center(stat, rows):
    """The centre of the rows of a group; None where data.csv alone does not give it."""
    every = [float(row["value"]) for row in rows]
    if stat == "geometric" and min(every) > 0:
        return math.exp(mean([mean([math.log(number) for number in some]) for some in split(rows, "session")]))
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
    differing = 0
    for group in groups:
        rows = [row for row in values if row["group"] == group["group"]]
        has_bounds = group["bound"] or group["parts"] or int(group.get("unmeasured") or 0)
        found = center(group["stat"], rows) if rows and not has_bounds else None
        stated = float(group["center"]) if group["center"] else None
        same = found is None or (stated is not None and abs(found - stated) <= 1e-9 * abs(stated))
        differing += not same
        name = " ".join(part for part in (group["x_label"], group["series_label"]) if part)
        result = (
            "left to verify.py"
            if found is None
            else "{:.6g} {}, {}".format(found, group["unit"], "same" if same else f"NOT {stated!r}")
        )
        print(f"{group['metric']} {name}: {group['stat']} of {len(rows)}: {result}")
    print(f"{len(groups)} groups, {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))))
