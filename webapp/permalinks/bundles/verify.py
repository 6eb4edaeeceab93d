#!/usr/bin/env python3
"""Check a Poolmark evidence bundle offline, with nothing but Python 3.8 or later:  python3 verify.py [SHA-256]

It checks that the record has the digest that is printed on its page (give it as the argument to be sure), that each raw
text stands on its line of the excerpts, that the recorded unit or formula gives the value, and that the statistics follow
from the values. Not done again: bootstrap intervals (they need the same random numbers) and the verdicts against a
baseline. The last line says `all N values recomputed, digest matches`; the exit code is 0 then and else 1.
"""
import hashlib
import json
import math
import os
import re
import sys

CLOSE = 1e-12
_NUMBER = re.compile(r"\d(?:[\d.,'\u2019\u00a0\u2009\u202f]|[ ](?=\d{3}(?!\d)))*(?:[eE][+-]?\d{1,3})?|\.\d+")


def close(found, value, by=CLOSE):
    """Whether two numbers are the same but for rounding."""
    return found == value or abs(found - value) <= by * max(abs(found), abs(value))


def digits(text):
    return re.sub(r"\D", "", text)


def stands(raw, line):
    """Whether the raw text stands on the line, however many blanks are between its words."""
    return bool(raw.strip()) and " ".join(raw.split()) in " ".join(line.split())


def by_rule(rule, raw, lines):
    """The value that the rule gives; ValueError where its numbers do not stand where it says. None: taken as recorded."""
    how = rule["how"]
    if how == "recorded":
        return None
    if how == "number":
        if digits(rule["number"]) not in digits(raw):
            raise ValueError("the number {} does not stand in `{}`".format(rule["number"], raw))
        return float(rule["number"]) * rule["factor"]
    if how == "clock":
        if digits("".join(rule["parts"])) not in digits(raw):
            raise ValueError("the time {} does not stand in `{}`".format(":".join(rule["parts"]), raw))
        units = (86400, 3600, 60, 1)[-len(rule["parts"]):]
        return math.fsum(float(part) * unit for part, unit in zip(rule["parts"], units))
    there = {digits(token) for line in lines for token in _NUMBER.findall(line)}
    for number in (rule["over"], rule["under"]):
        if digits(number) not in there:
            raise ValueError(f"{number} does not stand on the lines around")
    return float(rule["over"]) / float(rule["under"]) * rule["factor"]


def around(lines, line):
    """The texts of a cited line and of those around it."""
    if not line.isdigit():
        return [lines[line]] if line in lines else []
    near = (str(int(line) + step) for step in range(-3, 4))
    return [lines[at] for at in near if at in lines]


def named(told, number):
    """A value for people: which it is, what it says and where it stands."""
    value = told["values"][number]
    file = told["files"][str(told["runs"][str(value["run"])]["file"])]
    return "value %d (%s %r, `%s` at %s:%s)" % (
        number, value["metric"], value["measured"], value["raw"], file["path"], value["line"])


def value_problems(told, excerpts):
    """(problems, numbers of values that are taken as recorded). `excerpts`: file number -> line -> text."""
    problems, recorded = [], []
    for number, value in enumerate(told["values"]):
        at = str(told["runs"][str(value["run"])]["file"])
        frozen, lines = told["files"][at]["lines"], excerpts.get(at, {})
        touched = [line for line, text in frozen.items() if _is_near(line, value["line"]) and lines.get(line) != text]
        if value["line"] in touched:
            problems.append(f"{named(told, number)}: its line in the excerpt is not that of the record")
        elif touched:
            problems.append("{}: near it, line {} of the excerpt is not that of the record".format(named(told, number), touched[0]))
        elif value["rule"]["how"] == "recorded":
            recorded.append(number)
        elif not stands(value["raw"], lines.get(value["line"], "")):
            problems.append(f"{named(told, number)}: the text does not stand on its line")
        else:
            problems += _arithmetic(told, number, around(lines, value["line"]))
    return problems, recorded


def _is_near(line, cited):
    return line == cited or (line.isdigit() and cited.isdigit() and abs(int(line) - int(cited)) <= 3)


def _arithmetic(told, number, lines):
    value = told["values"][number]
    try:
        found = by_rule(value["rule"], value["raw"], lines)
    except ValueError as error:
        return [f"{named(told, number)}: {error}"]
    if not close(found, value["measured"]):
        return [f"{named(told, number)}: its text gives {found!r}"]
    if not close(value["measured"] / value["divisor"], value["value"]):
        return ["{}: divided by {!r} it is not the drawn {!r}".format(named(told, number), value["divisor"], value["value"])]
    return []


def median(values):
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2


def mean(values):
    return math.fsum(values) / len(values)


def rank_of(n, level):
    """The rank of the order statistic that bounds the median from below, None for too few values."""
    if n > 1000:
        return max(math.floor((n - 1.959964 * math.sqrt(n)) / 2), 1)
    below, rank = 0.0, None
    for k in range(1, n // 2 + 1):
        below += _choose(n, k - 1) / 2**n
        if 1 - 2 * below < level:
            break
        rank = k
    return rank


def _choose(n, k):
    found = 1
    for i in range(1, k + 1):
        found = found * (n - k + i) // i
    return found


def beta(x, a, b):
    """The regularised incomplete beta function, by its continued fraction (DLMF 8.17.22)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta(1 - x, b, a)
    front = math.exp(a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)) / a
    fraction = 0.0
    for m in range(400, -1, -1):
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        even = (m + 1) * (b - m - 1) * x / ((a + 2 * m + 1) * (a + 2 * m + 2))
        fraction = odd / (1 + even / (1 + fraction))
    return front / (1 + fraction)


def t_quantile(freedom, level):
    """Two-sided quantile of Student's distribution, by halving: P(|T| > t) = I(freedom / (freedom + t^2), freedom/2, 1/2)."""
    low, high = 0.0, 1e9
    for _ in range(200):
        middle = (low + high) / 2
        outside = beta(freedom / (freedom + middle * middle), freedom / 2, 0.5)
        low, high = (middle, high) if outside > 1 - level else (low, middle)
    return (low + high) / 2


def mean_interval(values, level):
    if len(values) < 2:
        return None
    center = mean(values)
    half = t_quantile(len(values) - 1, level) * math.sqrt(
        math.fsum((value - center) ** 2 for value in values) / (len(values) - 1) / len(values))
    return center - half, center + half


def work_of(told, workload, unit):
    """How much one run did, as far as the workload tells: the weight of its rate in a mean."""
    names = {"B/s": ("total_size", "file_size"), "1/s": ("files",)}[unit]
    params = told["workloads"][str(workload)]["params"]
    return next((float(params[name]) for name in names if str(params.get(name, "")).isdigit()), 0.0)


def mean_of(told, rows, unit):
    """The mean of all repetitions of one configuration (rows: workload -> values); of rates, total work over total time."""
    every = [value for values in rows.values() for value in values]
    if unit not in ("B/s", "1/s") or min(every) < 0:
        return mean(every)
    if min(every) == 0:
        return 0.0
    weights = {workload: work_of(told, workload, unit) for workload in rows}
    if len(rows) == 1 or not all(weights.values()):
        weights = dict.fromkeys(rows, 1.0)
    work = math.fsum(weights[workload] * len(values) for workload, values in rows.items())
    return work / math.fsum(weights[workload] / value for workload, values in rows.items() for value in values)


def statistics_of(told, group):
    """(centre, interval or None) of a group's values by the method of the record."""
    stat, level = told["method"]["stat"], told["method"]["level"]
    found = [told["values"][number] for number in group["values"]]
    unit = found[0]["unit"]
    tree = {}
    for value in found:
        configuration = told["runs"][str(value["run"])]["configuration"]
        tree.setdefault(configuration, {}).setdefault(value["workload"], []).append(value["value"])
    every = [value["value"] for value in found]
    if stat == "geometric" and min(every) > 0:
        sessions = {}
        for value in found:
            session = told["runs"][str(value["run"])].get("session")
            sessions.setdefault(session, []).append(math.log(value["value"]))
        center = math.exp(mean([mean(logs) for logs in sessions.values()]))
        return center, _interval(group["interval"], every, every, unit, level)
    if stat in ("median", "geometric"):
        centers = [median([value for values in rows.values() for value in values]) for rows in tree.values()]
        center = median(centers)
    else:
        centers = [mean_of(told, rows, unit) for rows in tree.values()]
        rate = unit in ("B/s", "1/s") and min(centers) >= 0
        center = mean(centers) if not rate else 0.0 if min(centers) == 0 else len(centers) / math.fsum(1 / c for c in centers)
    basis = centers if len(centers) > 1 else every
    return center, _interval(group["interval"], basis, every, unit, level)


def _interval(kind, basis, every, unit, level):
    if kind == "range":
        return min(every), max(every)
    if kind == "median":
        rank, ordered = rank_of(len(basis), level), sorted(basis)
        return None if rank is None else (ordered[rank - 1], ordered[len(basis) - rank])
    if kind == "t" and unit in ("B/s", "1/s"):
        low, high = mean_interval([1 / value for value in basis], level)
        return (1 / high, 1 / low)
    return mean_interval(basis, level) if kind == "t" else None


def group_problems(told):
    """What does not follow from the values."""
    problems = []
    for panel in told["panels"]:
        for group in panel["groups"]:
            name = " ".join(part for part in (group["metric"], group["x"], group["series"], group["facet"]) if part)
            if len(group["values"]) != group["runs"]:
                problems.append("%s: %d runs are told and %d are here" % (name, group["runs"], len(group["values"])))
                continue
            if group.get("bound"):
                continue  # the centre is a bound of runs without a number
            center, interval = statistics_of(told, group)
            if not close(center, group["center"]):
                problems.append("{}: the {} is {!r}, not {!r}".format(name, told["method"]["stat"], center, group["center"]))
            if group["interval"] in ("none", "bootstrap"):
                continue
            if interval is None or not all(close(*pair, by=1e-6) for pair in zip(interval, (group["low"], group["high"]))):
                problems.append("{}: the interval is {!r}, not {!r}".format(name, interval, [group["low"], group["high"]]))
    return problems


def check(told, excerpts):
    """(problems, how many values were taken as recorded) of a record and its excerpts."""
    problems, recorded = value_problems(told, excerpts)
    return problems + group_problems(told), len(recorded)


def read_excerpts(folder, told):
    """The excerpt files: number, tabulator, line."""
    found = {}
    for at in told["files"]:
        with open(os.path.join(folder, "excerpts", f"file-{at}.txt"), encoding="utf-8", newline="\n") as lines:
            found[at] = dict(line.rstrip("\n").split("\t", 1) for line in lines if "\t" in line)
    return found


def digest_of(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def sums_problems(folder):
    """Files that are not as `checksums.txt` says."""
    problems = []
    with open(os.path.join(folder, "checksums.txt"), encoding="utf-8") as sums:
        for line in sums:
            digest, name = line.rstrip("\n").split("  ", 1)
            path = os.path.join(folder, *name.split("/"))
            if not os.path.isfile(path):
                problems.append(f"{name} is missing")
            elif digest_of(path) != digest:
                problems.append(f"{name} is not the file that was frozen")
    return problems


def check_folder(folder, expected):
    """(problems, values, of them taken as recorded) of an unpacked bundle whose record should have this digest."""
    path = os.path.join(folder, "record.json")
    with open(path, encoding="utf-8") as file:
        told = json.load(file)
    problems, recorded = check(told, read_excerpts(folder, told))
    if digest_of(path) != expected:
        problems.append(f"record.json has not the digest {expected}")
    return problems, len(told["values"]), recorded


def outcome(count, recorded):
    """The last line of a check that found nothing."""
    if not recorded:
        return "all %d values recomputed, digest matches" % count
    return "%d values, %d of them taken as recorded since their text alone does not tell them; digest matches" % (count, recorded)


def main(arguments):
    folder = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, "digest.txt"), encoding="ascii") as file:
        told_digest = file.read().strip()
    problems, count, recorded = check_folder(folder, arguments[0] if arguments else told_digest)
    problems += sums_problems(folder)
    for problem in problems:
        print(problem)
    if problems:
        print("%d problem%s" % (len(problems), "" if len(problems) == 1 else "s"))
        return 1
    print(outcome(count, recorded))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
