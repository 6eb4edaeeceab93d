"""Open keys as filters, axes and differences; recording more never makes runs less comparable."""

import json

import pytest

from webapp.archives import reparse
from webapp.comparison.summary import reader
from webapp.formats import export
from webapp.models import Configuration, OpenProperties, Provenance
from webapp.tests import making

pytestmark = pytest.mark.django_db
BASE = {"os.family": "Linux", "fs.type": "zfs", "pool.compression": "lz4"}


def _archive(name, values, **other):
    open_keys = {key.replace("__", "."): value for key, value in other.items() if "__" in key}
    options = {key: value for key, value in other.items() if "__" not in key}
    records = list(making.file_records(f"{name}.txt", name, values, config=BASE | open_keys, **options))
    return making.archive(public=True, records=records, name=name)


@pytest.fixture
def _caches():
    reader.clear_cache()
    yield
    reader.clear_cache()


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
    assert _groups(figure("x=zfs.primarycache")) == {"all": 2, "metadata": 1, "~": 1}
    assert _groups(figure("x=compression&zfs.primarycache=metadata")) == {"lz4": 1}
    assert _groups(figure("x=compression&zfs.primarycache=~")) == {"lz4": 1}
    assert _groups(figure("x=compression&module.zfs.zfs_arc_max=2GiB..")) == {"lz4": 2}
    assert _groups(figure("x=compression&hold=zfs.primarycache")) == {"lz4": 4}


def test_the_page_names_what_differs(client, _caches):
    _archive("a", [1.0, 2.0], zfs__primarycache="all")
    _archive("c", [4.0], zfs__primarycache="metadata")
    page = client.get("/compare?metric=write.throughput&x=compression").content.decode()
    assert "zfs.primarycache" in page and "metadata" in page


def test_a_key_that_one_side_alone_records_is_no_difference(figure):
    for name, opened in (("a", {"zfs__primarycache": "all"}), ("b", {})):
        _archive(name, [1.0, 2.0, 3.0], **opened)
    answer = figure("x=compression")
    assert _groups(answer) == {"lz4": 6} and "zfs.primarycache" not in json.dumps(answer.get("differs", []))


def test_export_and_reading_again_have_them(tmp_path):
    archive = _archive("a", [1.0], zfs__primarycache="all", zfs__used=5, sysctl__kernel__foo=1, implied=("pool.compression",))
    with open(tmp_path / "lines", "w") as out:
        assert export.write_jsonl(out) == 1
    record = json.loads((tmp_path / "lines").read_text())
    assert record["config"] == BASE | {"zfs.primarycache": "all", "zfs.used": 5} and record["implied"] == ["pool.compression"]
    assert set(record["config_from"]) == set(record["config"])
    [stored] = reparse.read_stored_values(archive).values()
    assert stored.config == BASE | {"zfs.primarycache": "all"}
