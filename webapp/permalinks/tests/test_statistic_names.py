"""The statistic of a frozen figure is called by its name, and centre, ratio and n follow from data.csv alone."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from statistics import fmean

import pytest

from webapp.drawing import shapes
from webapp.drawing.canvas import Canvas
from webapp.figures import notes
from webapp.figures.stamp import stamp_of_record
from webapp.formats import latex_table
from webapp.formats.canonical import canonical_json
from webapp.models import Archive, LogEntry, Permalink
from webapp.permalinks import corrections
from webapp.permalinks.bundles import verify
from webapp.tests import frozen, making
from webapp.tests.recomputed import check, tables

pytestmark = pytest.mark.django_db
WRITE, READ = "write.throughput", "read.throughput"
MIB = 2**20


def side(name: str, values, missing=(), *, metric: str = WRITE, host: str = "tank", **more):
    """Records of one file: values in MiB/s, and (bound in MiB/s, side) of runs without a number."""
    path = f"{host}-{name}-{metric}.txt"
    config = {"os.family": "Linux", "host": host, "pool.compression": name, "disk.count": 4} | more
    file = list(making.file_records(path, path, [value * MIB for value in values], metric=metric, config=config))
    bounds = [
        making.unmeasured_record(
            path, metric=metric, config=config, bound=bound and bound * MIB, side=where, run=100 + at, line=100 + at, reason=reason
        )
        for at, (bound, where, reason) in enumerate((*one, "too_fast")[:3] if len(one) < 3 else one for one in missing)
    ]
    return [*file[:-1], *bounds, file[-1]]


def freeze(*sides, query: str = "", owner: str = "ann") -> Permalink:
    archive = making.archive(owner=owner, public=True, records=[record for records in sides for record in records])
    return frozen.freeze(f"archive={archive.pk}&metric={WRITE}&x=compression&{query}", owner=owner)


ABOVE = (300, "above")
CASES = {
    "four values and two beyond": (side("off", [90, 100, 110]), side("lz4", [150, 180, 200, 230], [ABOVE] * 2)),
    "an odd number": (side("off", [90, 100, 110]), side("lz4", [150, 180], [ABOVE])),
    "most are beyond": (side("off", [90, 100, 110]), side("lz4", [150], [ABOVE] * 2)),
    "all are beyond": (side("off", [90, 100, 110]), side("lz4", [], [ABOVE, (400, "above")])),
    "both sides": (side("off", [90, 100], [ABOVE]), side("lz4", [150], [ABOVE])),
    "below a bound": (side("off", [90, 100, 110]), side("lz4", [150, 180], [(10, "below")] * 3)),
    "above and below": (side("off", [90, 100, 110]), side("lz4", [150, 180, 190], [(10, "below"), ABOVE])),
    "a bound among values": (side("off", [90, 100, 110]), side("lz4", [150, 180, 400], [ABOVE])),
    "a failed run too": (side("off", [90, 100, 110]), side("lz4", [150, 180], [ABOVE, (None, None, "failed")])),
    "a third group": (side("off", [90, 100, 130]), side("lz4", [150, 180, 200]), side("gzip-1", [50], [ABOVE])),
}


@pytest.mark.parametrize("query", ["", "stat=mean", "stat=median", "stat=geometric", "stat=bootstrap", "normalise=disk"])
@pytest.mark.parametrize("case", CASES)
def it_has_one_statistic_where_any_run_has_only_a_bound(case, query):
    groups = check(freeze(*CASES[case], query=query))
    assert {group["stat"] for group in groups} == {"median"}
    base = next(group for group in groups if group["x"] == "off")
    for group in groups:
        sides = {group["bound"], {"above": "below", "below": "above", "": ""}[base["bound"]]} - {""}
        if group["baseline"] and group is not base and len(sides) < 2 and case != "a failed run too":
            assert float(group["ratio"]) == pytest.approx(float(group["center"]) / float(base["center"]))
    link = Permalink.objects.get()
    assert "median" in json.loads(bytes(link.record))["caption"].lower()
    assert "geometric mean" not in json.loads(bytes(link.record))["caption"].lower()


@pytest.mark.parametrize("stat", ["", "geometric", "median", "mean", "bootstrap"])
def it_has_the_chosen_statistic_where_every_run_has_a_number(stat):
    groups = check(freeze(side("off", [90, 100, 130]), side("lz4", [150, 180, 200, 230]), query=f"stat={stat}" if stat else ""))
    assert {group["stat"] for group in groups} == {{"": "geometric", "bootstrap": "mean"}.get(stat, stat)}


def it_names_the_statistic_of_each_metric():
    sides = [side(name, [90, 100, 130], metric=metric) for name in ("off", "lz4") for metric in (WRITE, READ)]
    bounded = side("gzip-1", [90, 100, 130], [ABOVE], metric=READ)
    link = freeze(*sides, side("gzip-1", [40, 50, 60]), bounded, query=f"metric={READ}&series=metric")
    stats = {(group["metric"], group["stat"]) for group in check(link)}
    assert stats == {(WRITE, "geometric"), (READ, "median")}
    caption = json.loads(bytes(link.record))["caption"].lower()
    assert "geometric mean for sequential write" in caption and "median for sequential read" in caption


def it_has_medians_in_all_panels_of_a_facet():
    sides = [side(name, [90, 100, 130], host=host) for name in ("off", "lz4") for host in ("one", "two")]
    groups = check(freeze(*sides, side("gzip-1", [50, 60], [ABOVE], host="two"), query="facet=host&control=off&baseline=off"))
    assert {group["stat"] for group in groups} == {"median"} and len({group["facet"] for group in groups}) == 2


def it_has_medians_where_a_value_of_zero_has_no_geometric_mean():
    groups = check(freeze(side("off", [90, 100, 130]), side("lz4", [0, 180, 200]), query="baseline=off&stat=geometric"))
    assert {group["stat"] for group in groups} == {"median"}


def it_draws_bounded_runs_at_their_bound_open():
    link = freeze(*CASES["four values and two beyond"])
    [figure] = json.loads(bytes(link.record))["figures"]
    mark = next(one for one in figure["groups"] if one["n"] == 6)
    assert [point[1:] for point in mark["points"]][4:] == [["#u0", "above"], ["#u1", "above"]]
    assert (mark["open"], mark["high"], mark["center"]) == (["above"], 300, 215)


def it_is_relative_to_a_bound_where_the_baseline_is_one():
    link = freeze(side("off", [90], [ABOVE] * 2), side("lz4", [150, 180, 200]), query="normalise=baseline&baseline=off")
    groups = {group["x"]: group for group in tables(link)[1]}
    assert (float(groups["lz4"]["center"]), groups["lz4"]["bound"]) == (pytest.approx(0.6), "below")
    assert (groups["off"]["center"], groups["off"]["n"]) == ("1.0", "3")


def as_frozen_before(link: Permalink, name: str, stat: str = "geometric") -> Permalink:
    """The permalink as the version before would have frozen it: geometric means beside medians, whiskers of measured runs."""
    record = json.loads(bytes(link.record))
    record["id"], record["version"] = name, 3
    record["method"] |= {"stat": stat, "statistics_version": 3}
    del record["unmeasured"]
    for mark in record["figures"][0]["groups"]:
        mark["points"] = [point for point in mark["points"] if len(point) == 2]
    for panel in record["panels"]:
        for group in panel["groups"]:
            del group["stat"], group["missing"]
            if group.get("unmeasured"):
                ends = [record["values"][at]["value"] for at in group["values"]]
                group["low"], group["high"] = (min(ends), max(ends)) if len(ends) > 1 else (None, None)
            elif stat == "geometric":
                group["center"] = math.exp(fmean(math.log(record["values"][at]["value"]) for at in group["values"]))
        base = next(group for group in panel["groups"] if group["x"] == "off")
        for group in panel["groups"]:
            if group["verdict"]:
                group["verdict"]["ratio"] = group["center"] / base["center"]
    data = canonical_json(record)
    return Permalink.objects.create(
        id=name, digest=making.digest(name), content=making.digest(name), record=data, owner=None, frozen_at=datetime.now(UTC)
    )


def it_enters_a_correction_once_where_something_is_wrong(client):
    wrong = as_frozen_before(freeze(side("off", [80, 100, 130]), side("lz4", [150, 180, 200, 230], [ABOVE] * 2)), "wrong")
    right = [side(name, values, host="tank3") for name, values in (("off", [80, 100, 130]), ("lz4", [150, 180, 200]))]
    as_frozen_before(freeze(*right, owner="bo"), "right")
    before = bytes(wrong.record)
    assert corrections.enter_corrections() == 1
    assert corrections.enter_corrections() == 0
    [entry] = LogEntry.objects.filter(kind="correct")
    assert (entry.subject, entry.sha256) == ("p/wrong", wrong.digest)
    assert "off 100 (frozen as 101.316)" in entry.reason and "lz4 215, ratio 2.15 (frozen as 2.122)" in entry.reason
    assert "whisker 150 to > 300 (frozen as 150 to 230)" in entry.reason
    assert entry.reason.startswith("Poolmark: ") and entry.reason.endswith("Freeze again.")
    assert bytes(Permalink.objects.get(pk="wrong").record) == before
    assert "ratio 2.15 (frozen as 2.122)" in client.get("/p/wrong").content.decode()
    assert "Wrong as frozen" not in client.get("/p/right").content.decode()


@pytest.mark.parametrize(
    ("bounded", "right"),
    [
        (side("lz4", [150, 180, 200, 230], [ABOVE] * 2), "lz4 215, whisker 150 to > 300 (frozen as 150 to 230)"),
        (side("lz4", [150], [ABOVE] * 2), "lz4 > 300, whisker 150 to > 300 (frozen without)"),
        (side("lz4", [150, 180, 190], [(10, "below")]), "lz4 165, whisker < 10 to 190 (frozen as 150 to 190)"),
        (side("lz4", [150, 180, 190], [(10, "below"), ABOVE]), "lz4 180, whisker < 10 to > 300 (frozen as 150 to 190)"),
        (side("lz4", [150, 180, 400], [ABOVE]), ""),
    ],
)
def it_corrects_the_whiskers_of_older_medians(bounded, right):
    link = as_frozen_before(freeze(side("off", [80, 100, 130]), bounded, query="stat=median"), "older", "median")
    before = bytes(link.record)
    assert corrections.enter_corrections() == bool(right)
    for entry in LogEntry.objects.filter(kind="correct"):
        assert entry.reason.endswith(f"to the highest run: {right}. Freeze again.") and "off" not in entry.reason
    assert bytes(Permalink.objects.get(pk="older").record) == before


def it_says_what_a_check_of_an_older_record_cannot_see(tmp_path):
    link = as_frozen_before(freeze(side("off", [80, 100, 130]), side("lz4", [150], [ABOVE] * 2)), "older")
    (tmp_path / "record.json").write_bytes(bytes(link.record))
    assert verify.unchecked(str(tmp_path)).startswith("not checked: 1 of 2 centres")


@pytest.mark.parametrize("plain", [False, True])
def it_opens_the_ends_of_bounded_runs_in_every_form(plain):
    sides = [
        side(name, values, missing, metric=metric)
        for metric in (WRITE, READ)
        for name, values, missing in (("off", [90, 100, 110], []), ("lz4", [150, 180, 200, 230], [ABOVE] * 2))
    ]
    bars = freeze(*sides)
    record = json.loads(bytes(bars.record))
    assert (r"$>$\,300" if plain else r"{$>$\,300}") in latex_table.to_table(record, stamp_of_record(record, bars.digest), plain)
    archive = Archive.objects.get()
    scatter = frozen.freeze(f"archive={archive.pk}&metric={WRITE}&metric={READ}&x=compression&kind=scatter")
    [figure] = [one for one in json.loads(bytes(scatter.record))["figures"] if one["kind"] == "scatter"]
    mark = next(one for one in figure["groups"] if one["n"] == 6)
    assert mark["across"]["open"] == mark["open"] == ["above"]
    assert notes.open_runs(mark["across"]) == notes.open_runs(mark) == [(300, "above")]
    drawn = {}
    for ends in (["above"], []):
        canvas = Canvas()
        shapes.whisker(canvas, 10, 50, 5, 3, open_ends=ends)
        drawn[len(ends)] = str(canvas.__dict__).count("L")
    assert drawn[0] - drawn[1] == 2, "no cap, in ink nor in the room around it"
