#!/usr/bin/env python3
"""Check a Poolmark evidence bundle, of a figure or of a collection, offline, with nothing but Python 3.8 or later:

    python3 -I verify.py [SHA-256] [FOLDER]

SHA-256 is the digest of the bundle, as its page and its citations print it; FOLDER is the unpacked bundle, the script's own
folder if it is missing. With -I nothing of that folder is imported before this script begins, whatever PYTHONPATH says. The bundle's digest is the SHA-256 of manifest.json, which lists the SHA-256 of every other file;
citations, which print that digest, are listed with 64 zeros in its place. checksums.txt and digest.txt follow from the others.

Besides, each raw text must stand on its line of the excerpts, the recorded unit or formula must give the value, the
statistics must follow from the values, and the tables (data.csv, groups.csv, flags.csv, files.csv, points.csv, table.tex) are
made anew from the record and compared byte by byte, the workbook data.xlsx cell by cell. Not done again: bootstrap intervals (they need the same random numbers), claims, and the drawing of pictures.
The tables are made by `code`: beside another copy of this script, or of the bundle itself once the given digest covers it.

Exit code: 0, all holds; 1, something differs: each file or value is named; 3, nothing differs, but without a digest the
bundle was compared with itself alone; 4, the digest is that of the record: pictures, tables and citations are not covered.
"""

import sys

if __name__ == "__main__":  # a forged bundle may bring a hashlib.py: neither this folder nor the current one is imported from
    sys.dont_write_bytecode = True
    if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
        del sys.path[0]
    sys.path[:] = [place for place in sys.path if place not in ("", ".")]
    import os

    _near = [os.path.realpath(place) for place in (os.curdir, os.path.dirname(os.path.abspath(__file__)))]
    sys.path[:] = [place for place in sys.path if os.path.realpath(place) not in _near]

import bisect
import functools
import hashlib
import json
import math
import os
import re
import stat
from importlib.machinery import ModuleSpec

CLOSE = 1e-12
MANIFEST, DERIVED = "manifest.json", ("manifest.json", "checksums.txt", "digest.txt")
COLLECTION, WORKBOOK = "collection.json", "data.xlsx"
ZEROS = b"0" * 64
COVERED, DIFFERS, ITSELF, RECORD_ALONE = 0, 1, 3, 4
UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, ArithmeticError, RecursionError)
"""What reading a forged record or manifest raises."""
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
        units = (86400, 3600, 60, 1)[-len(rule["parts"]) :]
        return math.fsum(float(part) * unit for part, unit in zip(rule["parts"], units))
    there = {digits(token) for line in lines for token in _NUMBER.findall(line)}
    for number in (rule["over"], rule["under"]):
        if digits(number) not in there:
            raise ValueError(f"{number} does not stand on the lines around")
    return float(rule["over"]) / float(rule["under"]) * rule["factor"]


def near(line):
    """A cited line and the three before and behind it, as the keys that they have; the line alone where it has no number."""
    return [str(int(line) + step) for step in range(-3, 4)] if line.isdigit() else [line]


def around(lines, line):
    """The texts of a cited line and of those around it."""
    return [lines[at] for at in near(line) if at in lines]


def named(told, number):
    """A value for people: which it is, what it says and where it stands."""
    value = told["values"][number]
    file = told["files"][str(told["runs"][str(value["run"])]["file"])]
    return "value %d (%s %r, `%s` at %s:%s)" % (
        number,
        value["metric"],
        value["measured"],
        value["raw"],
        file["path"],
        value["line"],
    )


def value_problems(told, excerpts):
    """(problems, numbers of values that are taken as recorded). `excerpts`: file number -> line -> text."""
    problems, recorded = [], []
    for number, value in enumerate(told["values"]):
        at = str(told["runs"][str(value["run"])]["file"])
        frozen, lines = told["files"][at]["lines"], excerpts.get(at, {})
        touched = [line for line in near(value["line"]) if line in frozen and lines.get(line) != frozen[line]]
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
        return math.floor((n - 1.959964 * math.sqrt(n)) / 2)
    chance = below = 0.5**n
    rank = 0
    while 1 - 2 * below >= level:
        rank += 1
        chance *= (n - rank + 1) / rank
        below += chance
    return rank or None


def beta(x, a, b):
    """The regularised incomplete beta function for 0 < x < 1, by its continued fraction (DLMF 8.17.22)."""
    if x > (a + 1) / (a + b + 2):
        return 1 - beta(1 - x, b, a)
    front = math.exp(a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)) / a
    fraction = 0.0
    for m in range(400, -1, -1):
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        even = (m + 1) * (b - m - 1) * x / ((a + 2 * m + 1) * (a + 2 * m + 2))
        fraction = odd / (1 + even / (1 + fraction))
    return front / (1 + fraction)


@functools.lru_cache(None)
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
        math.fsum((value - center) ** 2 for value in values) / (len(values) - 1) / len(values)
    )
    return center - half, center + half


def work_of(told, workload, unit):
    """How much one run did, as far as the workload says: the weight of its rate in a mean."""
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
    if not all(weights.values()):
        weights = dict.fromkeys(rows, 1.0)
    work = math.fsum(weights[workload] * len(values) for workload, values in rows.items())
    return work / math.fsum(weights[workload] / value for workload, values in rows.items() for value in values)


def median_with_bounds(record, group):
    """(centre, whisker) of a group: the median over configurations of the median of each, and the range, where runs of which only a
    bound is known count too; not a number where the bounds leave it open on both sides."""
    lowest, highest, ends = {}, {}, []
    for number in group["values"]:
        value = record["values"][number]
        for limits in (lowest, highest):
            limits.setdefault(record["runs"][str(value["run"])]["configuration"], []).append(value["value"])
        ends.append(value["value"])
    for number in group["missing"]:
        run = record["unmeasured"][number]
        if run["side"]:
            at = record["runs"][str(run["run"])]["configuration"]
            lowest.setdefault(at, []).append(run["bound"] if run["side"] == "above" else 0.0)
            highest.setdefault(at, []).append(math.inf if run["side"] == "above" else run["bound"])
            ends.append(run["bound"])
    low, high = median(list(map(median, lowest.values()))), median(list(map(median, highest.values())))
    center = low if low == high or group.get("bound") == "above" else high if group.get("bound") == "below" else math.nan
    return center, (min(ends), max(ends)) if len(ends) > 1 else None


def statistics_of(told, group):
    """(centre, interval or None) of a group's values by the method of the record."""
    stat, level = group.get("stat") or told["method"]["stat"], told["method"]["level"]
    if any(told["unmeasured"][number]["side"] for number in group.get("missing", ())):
        return median_with_bounds(told, group)
    found = [told["values"][number] for number in group["values"]]
    unit = found[0]["unit"]
    tree = {}
    for value in found:
        configuration = told["runs"][str(value["run"])]["configuration"]
        tree.setdefault(configuration, {}).setdefault(value["workload"], []).append(value["value"])
    every = [value["value"] for value in found]
    if stat == "geometric" and min(every) > 0:
        sessions, over = {}, "configuration" if group.get("over") == "configurations" else "session"
        for value in found:
            session = told["runs"][str(value["run"])].get(over)
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


def bounded_center(values, bounds):
    """The median of values and of runs of which only a bound is known, where these leave it one number; else not a number."""
    lowest, highest = list(values), list(values)
    for count in bounds:
        lowest += [count["bound"] if count["side"] == "above" else 0.0] * count["count"]
        highest += [math.inf if count["side"] == "above" else count["bound"]] * count["count"]
    return median(lowest) if median(lowest) == median(highest) else math.nan


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


def is_unchecked(record, group):
    """Whether the record lacks what the centre of a group follows from: runs of which only a bound is known one by one, as before
    version 4, or those of a baseline that is a bound."""
    if "missing" in group:
        return any(record["values"][number].get("side") for number in group["values"]) or not bounded_or_measured(record, group)
    bounds = any(count.get("side") for count in group.get("unmeasured", []))
    return bool(group.get("bound")) or (bounds and group.get("sessions", 1) > 1)


def bounded_or_measured(record, group):
    """Whether a group has any run with a value or a bound."""
    return bool(group["values"]) or any(record["unmeasured"][number]["side"] for number in group["missing"])


def unchecked(folder):
    """The sentence on groups whose centre the record cannot show to be right; empty where it can of all."""
    collection = os.path.join(folder, COLLECTION)
    figures = json.loads(read(collection).decode("utf-8"))["figures"] if os.path.lexists(collection) else []
    places = [place_of(number, figure) for number, figure in enumerate(figures, 1)] if figures else ["."]
    found = [json.loads(read(os.path.join(folder, *place.split("/"), "record.json")).decode("utf-8")) for place in places]
    groups = [is_unchecked(record, group) for record in found for panel in record["panels"] for group in panel["groups"]]
    return "not checked: %d of %d centres, of runs of which the record has only a bound\n" % (sum(groups), len(groups)) if any(groups) else ""


def group_problems(told):
    """What does not follow from the values."""
    problems = []
    for panel in told["panels"]:
        for group in panel["groups"]:
            name = " ".join(part for part in (group["metric"], group["x"], group["series"], group["facet"]) if part)
            if len(group["values"]) != group["runs"]:
                problems.append("%s: %d runs are told and %d are here" % (name, group["runs"], len(group["values"])))
                continue
            if is_unchecked(told, group):
                continue
            center, interval = statistics_of(told, group)
            bounds = [count for count in group.get("unmeasured", []) if count.get("side")]
            if bounds and "missing" not in group:
                center = bounded_center([told["values"][number]["value"] for number in group["values"]], bounds)
            if not close(center, group["center"]):
                problems.append("{}: the {} is {!r}, not {!r}".format(name, group.get("stat") or told["method"]["stat"], center, group["center"]))
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
    """The excerpt files: number, tabulator, line. A missing file has no lines."""
    found = {}
    for at in told["files"]:
        path = os.path.join(folder, "excerpts", f"file-{int(at)}.txt")
        found[at] = {}
        if os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace", newline="\n") as lines:
                found[at] = dict(line.rstrip("\n").split("\t", 1) for line in lines if "\t" in line)
    return found


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def read(path):
    """The bytes of a file, of which nothing but a file has any: a pipe never ends, a link leads elsewhere."""
    if not stat.S_ISREG(os.lstat(path).st_mode):
        raise ValueError(f"{os.path.basename(path)} is no regular file")
    with open(path, "rb") as file:
        return file.read()


def digest_of(path):
    return sha256(read(path))


def manifest_bytes(record, files, citations):
    """manifest.json: SHA-256 of the record; path -> SHA-256 of every file but DERIVED; the paths of the citations."""
    listed = {"format": "poolmark-manifest", "version": 1, "record": record, "files": files, "citations": sorted(citations)}
    return (json.dumps(listed, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def checksums_text(digests):
    """checksums.txt, as sha256sum writes and reads it. `digests`: path -> SHA-256."""
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests))


def digest_text(record, bundle):
    """digest.txt: both digests."""
    return f"record {record}\nbundle {bundle}\n"


def find_files(folder):
    """Paths of all files below the folder, sorted, with `/`; links count as files, and so do folders, with `/` at their end, that
    are empty or cannot be read."""
    found, unreadable = [], []
    for at, folders, names in os.walk(folder, onerror=unreadable.append):
        inside = [name for name in folders if os.path.islink(os.path.join(at, name))] + names
        found += [os.path.join(at, name) for name in inside] if folders or names else [os.path.join(at, "")]
    found += [os.path.join(error.filename, "") for error in unreadable]
    return sorted(os.path.relpath(path, folder).replace(os.sep, "/") + "/" * path.endswith(os.sep) for path in found)


def manifest_problems(folder):
    """(problems, SHA-256 of manifest.json, of the record as it lists it): missing, changed and unknown files."""
    data = read(os.path.join(folder, MANIFEST))
    bundle = sha256(data)
    listed = json.loads(data.decode("utf-8"))
    files, citations, record = listed["files"], listed["citations"], listed["record"]
    there = dict.fromkeys(find_files(folder))
    problems, digests = [], {MANIFEST: bundle}
    for name in sorted(set(files) | set(DERIVED)):
        path = os.path.join(folder, *name.split("/"))
        if name not in there:
            problems.append(f"missing: {name}")
        elif os.path.islink(path) or not os.path.isfile(path):
            problems.append(f"changed: {name} is {'a link' if os.path.islink(path) else 'no regular file'}")
        elif name in files:
            data = read(path)
            digests[name] = sha256(data)
            if not is_as_listed(data, listed, name, bundle):
                problems.append(f"changed: {name}")
    problems += [f"unknown: {ascii(name)[1:-1]}" for name in there if name not in files and name not in DERIVED]
    if files.get("record.json", record) != record or files.get("collection.json", record) != record:
        problems.append(f"changed: {MANIFEST} does not list the record under its digest")
    digest = digest_text(record, bundle) if citations else f"{record}\n"
    digests["digest.txt"] = sha256(digest.encode())
    if not citations:
        del digests[MANIFEST]  # a bundle frozen before there were manifests; the server keeps the manifest beside it
    for name, text in (("digest.txt", digest), ("checksums.txt", checksums_text(digests))):
        path = os.path.join(folder, name)
        if os.path.isfile(path) and not os.path.islink(path) and read(path) != text.encode():
            problems.append(f"changed: {name}")
    return problems, bundle, record


def is_as_listed(data, listed, name, bundle):
    """Whether a file is as the manifest lists it. A citation prints the bundle's digest where the listed one has 64 zeros, and
    has zeros nowhere."""
    digest = listed["files"].get(name)
    if name not in listed["citations"]:
        return sha256(data) == digest
    return bundle.encode() in data and ZEROS not in data and sha256(data.replace(bundle.encode(), ZEROS)) == digest


class CheckedCode:
    """Finds modules of `webapp` among sources that were checked, and nowhere else: an import that looked for them in a folder
    would prefer compiled files and packages of the same name."""

    def __init__(self, sources):
        self.sources = sources

    def find_spec(self, name, path=None, target=None):
        place = name.replace(".", "/")
        if f"code/{place}.py" in self.sources:
            return ModuleSpec(name, self)
        is_package = any(source.startswith(f"code/{place}/") for source in self.sources)
        return ModuleSpec(name, self, is_package=True) if is_package and place.split("/")[0] == "webapp" else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        place = "code/{}.py".format(module.__name__.replace(".", "/"))
        if place in self.sources:
            exec(compile(self.sources[place], place, "exec"), module.__dict__)  # noqa: S102  checked


def read_code(folder):
    """Path -> bytes of the sources in the folder `code`; none where something else stands there too."""
    names = [name for name in find_files(folder) if name.startswith("code/")]
    paths = [os.path.join(folder, *name.split("/")) for name in names]
    is_code = all(name.startswith("code/webapp/") and name.endswith(".py") for name in names) and all(map(os.path.isfile, paths))
    return dict(zip(names, map(read, paths))) if is_code else {}


def code_for(folder, is_covered):
    """The sources to make files of the folder anew with: those beside this script, if the bundle brings the very same ones and not
    another version. In its own folder the script runs what the given digest covers, and nothing else."""
    here = os.path.dirname(os.path.abspath(__file__))
    code = read_code(here)
    return code if (is_covered or not os.path.samefile(here, folder)) and read_code(folder) == code else {}


def made_anew(record, digest):
    """Path -> bytes of the files that follow from the record."""
    from webapp.formats import frozen_files

    return {name: text.encode() for name, text in frozen_files.make_texts(record, digest).items()}


def is_workbook(data, record, digest):
    """Whether the cells of a workbook are those of the tables. Call it after `made_anew`."""
    from webapp.formats import tidy, workbook_cells

    return workbook_cells.holds(data, tidy.to_sheets(record, digest))


def anew_problems(folder, record, digest, code):
    """Files that do not follow from the record. `code`: see `code_for`."""
    problems = []
    sys.meta_path.insert(0, CheckedCode(code))
    for name, data in made_anew(record, digest).items():
        path = os.path.join(folder, *name.split("/"))
        if os.path.isfile(path) and digest_of(path) != sha256(data):
            problems.append(f"changed: {name} does not follow from the record")
    path = os.path.join(folder, WORKBOOK)
    if os.path.isfile(path) and not is_workbook(read(path), record, digest):
        problems.append(f"changed: {WORKBOOK} has cells that do not follow from the record")
    return problems


def is_beside_values(figure):
    """Whether a figure draws what stands beside the values of the record, in the place of a panel: curves, a distribution, or
    percentiles over load, whose centres are those of no group. Records frozen before figures were marked have percentiles whose
    points, unlike those of values, have no address."""
    if figure.get("beside") or "curves" in figure:
        return True
    return figure.get("legend") == "Percentile" and not any(point[1] for mark in figure["groups"] for point in mark["points"])


def beside(ordered, value):
    """The numbers before and behind a value in an ordered list."""
    at = bisect.bisect_left(ordered, value)
    return ordered[max(0, at - 1) : at + 1]


def figure_problems(told):
    """Plotted points that are not the values of the record: kinds that draw values, not ratios of them, nor what stands beside."""
    problems = []
    for number, figure in enumerate(told["figures"]):
        if figure["kind"] in ("ratio", "scatter") or len(told["figures"]) != len(told["panels"]):
            continue
        if is_beside_values(figure):
            continue
        panel = told["panels"][number]
        factor = panel["shown"]["factor"]
        for mark in figure["groups"]:
            for value, address, *_ in mark["points"]:
                if address.startswith("#v") and not close(value * factor, told["values"][int(address[2:])]["value"]):
                    problems.append(f"{figure['title']}: the point {value!r} is not {named(told, int(address[2:]))}")
        centers = sorted(group["center"] for group in panel["groups"] if group["center"] is not None)
        drawn = [mark["center"] for mark in figure["groups"] if mark["center"] is not None]
        strays = [center for center in drawn if not any(close(center * factor, other) for other in beside(centers, center * factor))]
        problems += [f"{figure['title']}: no group has the drawn centre {center!r}" for center in strays]
    return problems


def check_folder(folder, expected):
    """(problems, values, of them taken as recorded) of the record and excerpts of a folder; `expected`: the record's digest."""
    path = os.path.join(folder, "record.json")
    problems = []
    if digest_of(path) != expected:
        problems.append(f"changed: record.json has not the digest {expected}")
    record = json.loads(read(path).decode("utf-8"))
    found, recorded = check(record, read_excerpts(folder, record))
    return problems + found + figure_problems(record), len(record["values"]), recorded


def place_of(number, figure):
    """The folder of a figure of a collection, counted from 1."""
    return "figures/%02d-%s" % (number, figure["id"])


def check_figures(folder):
    """(problems, values, of them taken as recorded, figures) of an unpacked collection."""
    problems, values, taken, collection = [], 0, 0, json.loads(read(os.path.join(folder, COLLECTION)).decode("utf-8"))
    for number, figure in enumerate(collection["figures"], 1):
        try:
            found, count, recorded = check_folder(os.path.join(folder, *place_of(number, figure).split("/")), figure["digest"])
        except UNREADABLE as error:
            found, count, recorded = [f"record.json cannot be read: {type(error).__name__} {error}"], 0, 0
        problems += ["figure %d (%s): %s" % (number, figure["id"], problem) for problem in found]
        values, taken = values + count, taken + recorded
    return problems, values, taken, len(collection["figures"])


def check_bundle(folder, expected):
    """(problems, code, sentence where there are no problems) of an unpacked bundle with a manifest. `expected`: the digest of
    the bundle or of the record in lower case, or ''."""
    problems, bundle, record = manifest_problems(folder)
    name = COLLECTION if os.path.lexists(os.path.join(folder, COLLECTION)) else "record.json"
    code = {bundle: COVERED, record: RECORD_ALONE, "": ITSELF}.get(expected)
    if code is None:
        problems.append(f"changed: neither {MANIFEST} ({bundle}) nor {name} ({record}) has the digest {expected}")
    sources = code_for(folder, code == COVERED and not problems)
    try:
        if name == COLLECTION:
            found, count, recorded, figures = check_figures(folder)
        else:
            (found, count, recorded), figures = check_folder(folder, record), 0
        is_named = "changed: record.json" in problems
        problems += [problem for problem in found if not (is_named and problem.startswith("changed: record.json"))]
        if sources:
            problems += anew_problems(folder, json.loads(read(os.path.join(folder, name)).decode("utf-8")), record, sources)
    except UNREADABLE as error:
        return [*problems, f"changed: {name} cannot be read: {type(error).__name__} {error}"], DIFFERS, ""
    return problems, DIFFERS if problems else code, outcome(count, recorded, figures)


def outcome(count, recorded, figures=0):
    """The sentence of a check that found nothing. `figures`: of a collection."""
    of = " of %d figure%s" % (figures, "" if figures == 1 else "s") if figures else ""
    if not recorded:
        return "all %d values%s recomputed" % (count, of)
    return "%d values%s, %d of them taken as recorded since their text alone does not give them" % (count, of, recorded)


def report(problems, code, sentence, digest):
    """Print what was found, a line each, whatever letters names of files have; returns the exit code."""
    for problem in problems:
        print("".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in problem))
    if problems:
        print("%d problem%s" % (len(problems), "" if len(problems) == 1 else "s"))
    else:
        print(
            {
                COVERED: f"{sentence}, digest matches: every file is as frozen",
                RECORD_ALONE: f"{sentence}; record verified; pictures, tables and citation are not covered: give the digest of the bundle",
                ITSELF: f"{sentence}; compared with itself alone: give the digest of the bundle that the page or the paper prints ({digest} here)",
            }[code]
        )
    return code


def arguments_of(arguments):
    """(digest in lower case or '', folder). A text that has the form of a digest is one, even if a folder has that name."""
    digests = [text for text in arguments if re.fullmatch("[0-9a-fA-F]{64}", text.strip()) or not os.path.isdir(text)]
    folders = [text for text in arguments if text not in digests]
    return (digests[0].strip().lower() if digests else ""), (folders[0] if folders else os.path.dirname(os.path.abspath(__file__)))


def main(arguments):
    expected, folder = arguments_of(arguments)
    try:
        problems, code, sentence = check_bundle(folder, expected)
        bundle = digest_of(os.path.join(folder, MANIFEST))
        sys.stdout.write("" if problems else unchecked(folder))
    except UNREADABLE as error:
        name = getattr(error, "filename", None)
        problem = f"missing: {os.path.basename(name)}" if name else f"changed: {MANIFEST} cannot be read: {type(error).__name__} {error}"
        return report([problem], DIFFERS, "", "")
    return report(problems, code, sentence, bundle)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
