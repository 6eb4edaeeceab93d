"""Open keys as filters, axes and differences; recording more never makes runs less comparable."""

import json
import re
from html import unescape

import pytest

from webapp.archives import queries, reparse
from webapp.comparison.dimensions import DIMENSIONS, value_label
from webapp.comparison.facets import MAX_SETTINGS
from webapp.formats import export
from webapp.models import Configuration, OpenProperties, Provenance
from webapp.tests import caches, making

pytestmark = pytest.mark.django_db
BASE = {"host": "tank1", "arch": "x86_64", "os.family": "Linux", "fs.type": "zfs", "pool.compression": "lz4"}


def _archive(name, values, **other):
    open_keys = {key.replace("__", "."): value for key, value in other.items() if "__" in key}
    options = {key: value for key, value in other.items() if "__" not in key}
    records = list(making.file_records(f"{name}.txt", name, values, config=BASE | open_keys, **options))
    return making.archive(public=True, records=records, name=name)


@pytest.fixture
def _caches():
    caches.clear()
    yield
    caches.clear()


@pytest.fixture
def figure(client, _caches):
    def ask(query):
        reply = client.get(f"/compare.json?metric=write.throughput&{query}")
        assert reply.status_code == 200
        return json.loads(reply.content)

    return ask


def _groups(answer):
    return {group["x"]: group["runs"] for panel in answer["panels"] for group in panel["groups"]}


def test_what_changes_performance_splits_and_the_rest_does_not():
    _archive("a", [1.0, 2.0], zfs__primarycache="all", zfs__used=1)
    _archive("b", [3.0], zfs__primarycache="all", zfs__used=2)
    _archive("c", [4.0], zfs__primarycache="metadata", zfs__used=2)
    _archive("d", [5.0], zfs__primarycache="all", zfs__snapdev="hidden")
    _archive("e", [6.0], zfs__primarycache="all", zfs__snapdev="hidden", chosen=frozenset(["zfs.snapdev"]))
    assert Configuration.objects.count() == 3 == OpenProperties.objects.count()
    assert {row.values["zfs.primarycache"] for row in OpenProperties.objects.all()} == {"all", "metadata"}
    assert Provenance.objects.filter(others={"zfs.used": 2}).count() == 2


def test_filter_axis_and_hold(figure):
    _archive("a", [1.0, 2.0], zfs__primarycache="all", module__zfs__zfs_arc_max=8 * 2**30)
    _archive("c", [4.0], zfs__primarycache="metadata", module__zfs__zfs_arc_max=2**30)
    _archive("d", [9.0])
    assert _groups(figure("x=zfs.primarycache&control=off")) == {"all": 2, "metadata": 1, "~": 1}
    assert _groups(figure("x=compression&control=off&zfs.primarycache=metadata")) == {"lz4": 1}
    assert _groups(figure("x=compression&control=off&zfs.primarycache=~")) == {"lz4": 1}
    assert _groups(figure("x=compression&control=off&module.zfs.zfs_arc_max=2GiB..")) == {"lz4": 2}
    assert _groups(figure("x=compression&control=off&hold=zfs.primarycache")) == {"lz4": 4}


def test_the_page_names_what_differs(client, _caches):
    _archive("a", [1.0, 2.0], zfs__primarycache="all")
    _archive("c", [4.0], zfs__primarycache="metadata")
    page = client.get("/compare?metric=write.throughput&x=compression").content.decode()
    assert "zfs.primarycache" in page and "metadata" in page


def test_a_key_that_one_side_alone_records_is_no_difference(figure):
    for name, opened in (("a", {"zfs__primarycache": "all"}), ("b", {})):
        _archive(name, [1.0, 2.0, 3.0], **opened)
    answer = figure("x=compression&control=off")
    assert _groups(answer) == {"lz4": 6} and "zfs.primarycache" not in json.dumps(answer.get("differs", []))


def test_export_and_reading_again_have_them(tmp_path):
    archive = _archive("a", [1.0], zfs__primarycache="all", zfs__used=5, sysctl__kernel__foo=1, implied=("pool.compression",))
    with open(tmp_path / "lines", "w") as out:
        assert export.write_jsonl(out) == 1
    record = json.loads((tmp_path / "lines").read_text())
    assert record["config"] == BASE | {"zfs.primarycache": "all", "zfs.used": 5} and record["implied"] == ["pool.compression"]
    assert set(record["config_from"]) == set(record["config"])
    [stored] = reparse.name_values(queries.read_values(archive.pk)).values()
    assert stored.config == BASE | {"zfs.primarycache": "all"}


@pytest.fixture
def page(client, _caches):
    def ask(query):
        reply = client.get(f"/compare?metric=write.throughput&{query}")
        assert reply.status_code == 200
        return reply.content.decode()

    return ask


def _part(page, name, tag="details"):
    """The HTML of the element with that id."""
    found = re.search(f'<{tag} id="{re.escape(name)}".*?</{tag}>', page, re.S)
    return found[0] if found else ""


def _texts(html):
    return [unescape(re.sub("<[^>]*>", "", item)).strip() for item in re.findall("<li.*?</li>", html)]


def _options(html):
    return re.findall('<option value="([^"]*)"', html)


@pytest.fixture
def _three():
    _archive("a", [1.0, 2.0], zfs__primarycache="all", module__zfs__zfs_arc_max=8 * 2**30, zfs__logbias="latency")
    _archive("b", [4.0], zfs__primarycache="metadata", module__zfs__zfs_arc_max=2**30, zfs__logbias="latency")
    _archive("c", [9.0])


@pytest.mark.usefixtures("_three")
def test_the_rail_offers_what_differs(page):
    rail = page("x=compression")
    assert _texts(_part(rail, "choose-zfs.primarycache")) == ["all 2", "metadata 1", "unknown 1"]
    arc = _part(rail, "choose-module.zfs.zfs_arc_max")
    assert _texts(arc) == ["1\N{NO-BREAK SPACE}GiB 1", "8\N{NO-BREAK SPACE}GiB 2", "unknown 1"]
    assert 'value="8589934592"' in arc and '<summary title="Kernel module: zfs(4), spl(4), modinfo(8)">module.zfs' in arc
    assert not _part(rail, "choose-zfs.logbias")
    assert (
        rail.index('id="settings"') < rail.index('id="choose-module.zfs.zfs_arc_max"') < rail.index('id="choose-zfs.primarycache"')
    )
    assert _options(_part(rail, "settings-recorded", "datalist")) == ["zfs.logbias"]


@pytest.mark.usefixtures("_three")
@pytest.mark.parametrize("control", ["axis-x", "axis-series", "axis-facet", "hold"])
def test_lists_have_a_group_of_settings(page, control):
    group = re.search('<optgroup label="Settings">.*?</optgroup>', _part(page("x=compression"), control, "select"), re.S)
    assert _options(group[0]) == ["module.zfs.zfs_arc_max", "zfs.primarycache"]


@pytest.mark.usefixtures("_three")
@pytest.mark.parametrize(
    ("query", "name", "open_", "choices"),
    [
        ("setting=zfs.logbias", "zfs.logbias", True, ["latency 3", "unknown 1"]),
        ("setting=zfs.logbias&setting=zfs.primarycache", "zfs.primarycache", True, ["all 2", "metadata 1", "unknown 1"]),
        ("zfs.logbias=latency", "zfs.logbias", True, ["latency 3", "unknown 1"]),
        ("setting=zfs.nobodyhasit", "zfs.nobodyhasit", True, ["unknown 4"]),
        ("setting=zfs.logbias", "zfs.primarycache", False, ["all 2", "metadata 1", "unknown 1"]),
        ("setting=compression", "zfs.logbias", False, []),
        ("setting=nospace.key", "nospace.key", False, []),
    ],
)
def test_another_setting_is_listed_by_its_name(page, query, name, open_, choices):
    rail = page("x=os&" + query)
    facet = _part(rail, f"choose-{name}")
    assert _texts(facet) == choices and facet.startswith(f'<details id="choose-{name}" open>') == open_
    kept = re.findall('<input type="(?:hidden|checkbox)" name="setting" value="([^"]*)"', rail)
    assert kept == re.findall("setting=([a-z.]*)", query), "the next submission of the form has it again"


@pytest.mark.usefixtures("_three")
def test_an_axis_that_is_chosen_stays_chosen(page):
    rail = page("x=zfs.logbias&hold=zfs.primarycache")
    assert '<option value="zfs.logbias" selected>zfs.logbias</option>' in _part(rail, "axis-x", "select")
    assert 'name="hold" value="zfs.primarycache" id="hold-1" checked' in _part(rail, "choose-hold")
    assert "zfs.primarycache" not in _options(_part(rail, "hold", "select"))


@pytest.mark.usefixtures("_three")
def test_json_names_what_differs_between_groups(figure):
    differing = {row["dimension"]: row for row in figure("x=zfs.primarycache&control=off")["differs"]}
    assert differing["module.zfs.zfs_arc_max"]["between_groups"] and "zfs.logbias" not in differing


def test_settings_that_vary_most_come_first(page):
    names = [f"zfs.own{n:02}" for n in range(MAX_SETTINGS + 3)]
    for run in range(3):
        varied = {name.replace(".", "__"): min(run, 1) for name in names[:-1]} | {names[-1].replace(".", "__"): run}
        _archive(f"{run}", [1.0 + run], chosen=frozenset(names), **varied)
    rail = page("x=compression")
    assert re.findall('<details id="choose-(zfs[^"]*)"', rail) == [*names[: MAX_SETTINGS - 1], names[-1]]
    assert _options(_part(rail, "settings-recorded", "datalist")) == names[MAX_SETTINGS - 1 : -1]


def test_without_open_keys_there_is_no_group(page):
    _archive("a", [1.0])
    rail = page("x=compression")
    assert 'id="settings"' not in rail and 'label="Settings"' not in rail


@pytest.mark.parametrize(
    ("name", "text", "label"),
    [
        ("module.zfs.zfs_arc_max", "8589934592", "8\N{NO-BREAK SPACE}GiB"),
        ("zfs.volblocksize", "16384", "16\N{NO-BREAK SPACE}KiB"),
        ("zfs.volblocksize", "none", "none"),
        ("sysctl.fs.aio-max-nr", "1048576", "1048576"),
        ("sysctl.vm.dirty_bytes", "~", "unknown"),
    ],
)
def test_sizes_are_shown_as_sizes(name, text, label):
    assert value_label(DIMENSIONS[name], text) == label
