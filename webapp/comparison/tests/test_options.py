"""Options that tools were run with: part of the workload, each by its own name."""

import json
import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.comparison.dimensions import DIMENSIONS, configuration_texts, option_words, value_label, workload_texts
from webapp.comparison.facets import MAX_OPTIONS
from webapp.comparison.selection import Links, Selection, parse, passes_filter, query_pairs
from webapp.comparison.sets.workloads import WorkloadKeys
from webapp.comparison.summary.columns import Columns
from webapp.comparison.summary.row import SummaryRow, Texts
from webapp.formats import export
from webapp.models import Run
from webapp.tests import caches, making, samples

FIO = {"file_size": 2**30, "block_size": 4096}
TOOL = {"tool": "fio", "tool_version": "3.33"}
BASE = {"host": "tank1", "arch": "x86_64", "os.family": "Linux", "fs.type": "zfs"}


@pytest.fixture
def _caches():
    caches.clear()
    yield
    caches.clear()


def _archive(*groups, **other):
    """An archive with a file for each (compression, options, values)."""
    records = []
    for number, (compression, options, values) in enumerate(groups):
        config, params = BASE | {"pool.compression": compression}, FIO | {f"fio.{name}": text for name, text in options.items()}
        records += making.file_records(f"{number}.txt", f"{number}{other}", values, config=config, params=params, **TOOL | other)
    return making.archive(public=True, records=records)


@pytest.fixture
def figure(client, _caches):
    def ask(query):
        reply = client.get(f"/compare.json?metric=write.throughput&{query}")
        assert reply.status_code == 200
        return json.loads(reply.content)

    return ask


@pytest.fixture
def page(client, _caches):
    def ask(query):
        reply = client.get(f"/compare?metric=write.throughput&{query}")
        assert reply.status_code == 200
        return unescape(reply.content.decode())

    return ask


def _groups(answer):
    return {group["x"]: group["runs"] for panel in answer["panels"] for group in panel["groups"] if group.get("runs")}


def _flags(answer):
    return [flag["sentence"] for flag in answer["flags"] if flag["id"] == "options"]


THREE = [1.0, 2.0, 3.0]
DIFFERING = (
    ({"fdatasync": "1"}, "fdatasync=1"),
    ({"zero_buffers": "1"}, "zero_buffers=1"),
    ({"rate_iops": "500"}, "rate_iops=500"),
    ({"nobody_heard_of": "x y"}, "nobody_heard_of=x y"),
    ({"thinktime": "100"}, "thinktime=100"),
    ({"-e": "1"}, "-e"),
    ({"--delete": "1"}, "--delete"),
    ({"--bwlimit": "5"}, "--bwlimit=5"),
    ({"-B": "5"}, "-B 5"),
    ({"a": "1", "b": "2"}, "a=1, b=2"),
)


@pytest.mark.django_db
@pytest.mark.parametrize(("options", "words"), DIFFERING)
@pytest.mark.parametrize("query", ["x=compression", "x=compression&control=off", "x=tool", "x=tool&control=off", ""])
def test_what_differs_in_an_option_is_never_one_bar(figure, page, options, words, query):
    _archive(("lz4", {}, [*THREE, 4.0]), ("lz4", options, THREE), ("off", {}, [*THREE, 4.0]), ("off", options, THREE))
    answer = figure(query)
    assert set(_groups(answer).values()) == {8 if query == "x=tool&control=off" else 4}
    if "tool" in query:
        return
    assert _flags(answer) == [f"6 runs with {words} are another workload."]
    [link] = re.findall(
        re.escape(f"6 runs with {words} are another workload.") + ' *<a href="/compare\\?metric=write.throughput&([^"]*)"',
        page(query),
    )
    drawn = figure(link)
    assert set(_groups(drawn).values()) == {3}
    assert {name: drawn["workload"].get(f"fio.{name}") for name in options} == options


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("params", "sentences"),
    [
        ({"fsync": "every 1"}, ["3 runs with fsync every 1 are another workload."]),
        ({"fsync": "every 1", "fio.a": "1"}, ["3 runs with fsync every 1, a=1 are another workload."]),
        ({"fsync": "every 1", "threads": 2}, []),
        ({"threads": 2}, []),
    ],
)
def test_so_is_a_parameter_in_words(figure, params, sentences):
    records = [*making.file_records("a.txt", "a", [*THREE, 4.0], config=BASE, params=FIO, **TOOL)]
    records += making.file_records("b.txt", "b", THREE, config=BASE, params=FIO | params, **TOOL)
    making.archive(public=True, records=records)
    assert _flags(figure("x=fs")) == sentences


@pytest.mark.django_db
def test_what_was_not_given_is_named(figure):
    _archive(("lz4", {"a": "1", "b": "2"}, THREE), ("lz4", {"a": "3"}, [1.0]), ("lz4", {}, [1.0, 2.0]))
    assert _flags(figure("x=compression")) == [
        "2 runs without a, b are another workload.",
        "1 run with a=3 and without b is another workload.",
    ]


@pytest.mark.django_db
def test_values_of_an_option_are_workloads_too(figure):
    _archive(*(("lz4", {"rate_iops": text}, [1.0] * n) for text, n in (("100", 2), ("200", 5), ("300", 1), ("400", 3), ("500", 1))))
    answer = figure("x=compression")
    assert _groups(answer) == {"lz4": 5} and answer["workload"]["fio.rate_iops"] == "200"
    assert _flags(answer) == [
        "3 runs with rate_iops=400 are another workload.",
        "2 runs with rate_iops=100 are another workload.",
        "1 run with rate_iops=300 is another workload.",
    ]
    assert "1 run of other workloads is left out: a figure shows one workload." in json.dumps(answer["flags"])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "groups"),
    [
        ("x=fio.fdatasync", {"1": 3, "~": 4}),
        ("x=fio.fdatasync&control=off", {"1": 3, "~": 4}),
        ("x=compression&fio.fdatasync=1", {"lz4": 3}),
        ("x=compression&fio.fdatasync=~", {"lz4": 4}),
        ("x=compression&fio.fdatasync=0..1", {"lz4": 3}),
        ("x=compression&fio.fdatasync=2..", {}),
        ("x=compression&pool=fio.fdatasync", {"lz4": 7}),
        ("x=fio.fdatasync&hold=compression", {"1": 3, "~": 4}),
        ("x=compression&hold=fio.fdatasync", {"lz4": 4}),
        ("x=fio.fdatasync&pool=fio.zero_buffers", {"1": 3, "~": 6}),
        ("x=compression&fio.zero_buffers=1", {"lz4": 2}),
        ("x=fio.nobody_gave_it", {"~": 4}),
    ],
)
def test_each_is_filter_axis_hold_and_pool_by_its_name(figure, query, groups):
    _archive(("lz4", {}, [*THREE, 4.0]), ("lz4", {"fdatasync": "1"}, THREE), ("lz4", {"zero_buffers": "1"}, [1.0, 2.0]))
    _archive(("lz4", {}, [1.0]), tool="iozone", tool_version="3.4")
    answer = figure(query)
    assert _groups(answer) == groups and answer["design"] in (None, "open" if "control" in query else "controlled")


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "value"), [("fio.thinktime", "100"), ("direct", "on")])
def test_a_version_is_itself_whatever_depends_on_the_axis(figure, name, value):
    """Before 3.34 rates meant something else with this option, so that these runs are compared with none of later versions."""
    groups = []
    for number, params in enumerate(({name: value}, {} if "." in name else {name: "off"})):
        path = f"{number}.txt"
        groups += making.file_records(path, path, THREE, config=BASE, params=FIO | params, **TOOL)
    making.archive(public=True, records=groups)
    answer = figure(f"x={name}")
    assert sorted(_groups(answer).values()) == [3, 3] and answer["design"] == "controlled"


@pytest.mark.django_db
def test_runs_of_several_months_are_put_together_by_option(figure):
    records = []
    for number, (month, options) in enumerate((m, o) for m in ("2026-01", "2026-02") for o in ({}, {"fio.a": "1"})):
        began = {"started_at": f"{month}-01T00:00:00"}
        records += making.file_records(f"{number}", f"{number}", THREE, config=BASE, params=FIO | options, **TOOL | began)
    making.archive(public=True, records=records)
    assert _groups(figure("x=fio.a")) == {"1": 6, "~": 6} and _groups(figure("x=fs&pool=fio.a")) == {"zfs": 12}


@pytest.mark.django_db
@pytest.mark.parametrize("axis", ["series", "facet"])
def test_the_other_axes(figure, axis):
    _archive(*((c, {"fdatasync": "1"} if sync else {}, THREE) for c in ("lz4", "off") for sync in (0, 1)))
    answer = figure(f"x=compression&{axis}=fio.fdatasync")
    assert sum(len(panel["groups"]) for panel in answer["panels"]) == 4 and answer["design"] == "controlled"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("drawn", "other", "lacks", "words"),
    [
        ({}, {"zero_buffers": "1"}, "without zero_buffers", "zero_buffers=1"),
        ({"-e": "1"}, {}, "with -e", "-e not given"),
        ({"a": "1"}, {"a": "2"}, "with a=1", "a=2"),
        ({"a": "1", "c": "1"}, {"b": "1", "c": "1"}, "with a=1 and without b", "b=1, a not given"),
        ({"a": "1", "file_size": "9"}, {}, "with a=1, file_size=9", "a not given, file_size not given"),
    ],
)
def test_an_empty_place_names_the_option(figure, page, drawn, other, lacks, words):
    _archive(("lz4", drawn, THREE), ("off", drawn, THREE), ("zstd", other, THREE))
    [empty] = [group["empty"] for panel in figure("x=compression")["panels"] for group in panel["groups"] if group["empty"]]
    assert [(one["workload"], one["runs"]) for one in empty] == [(words, 3)]
    assert f"not run {lacks}; has {words} (3 runs)" in page("x=compression")


@pytest.mark.django_db
def test_runs_without_a_number_belong_to_their_workload(figure):
    records = list(making.file_records("a.txt", "a", THREE, config=BASE, params=FIO, **TOOL))
    for path, options in (("b.txt", {"fio.fdatasync": "1"}), ("c.txt", {})):
        records.append(making.unmeasured_record(path, bound=9.0, side="above", config=BASE, params=FIO | options, **TOOL))
    making.archive(public=True, records=records)
    [group] = [group for panel in figure("x=fs")["panels"] for group in panel["groups"]]
    assert [one["count"] for one in group["unmeasured"]] == [1]


def _choices(page, name):
    found = re.search(f'<details id="choose-{re.escape(name)}".*?</details>', page, re.S)
    return [re.sub("<[^>]*>", "", item).strip() for item in re.findall("<li.*?</li>", found[0], re.S)] if found else []


@pytest.mark.django_db
def test_menus_offer_options_in_which_runs_of_the_tool_differ(page):
    _archive(("lz4", {"same": "1", "fdatasync": "1"}, THREE), ("lz4", {"same": "1"}, THREE))
    _archive(("lz4", {}, [1.0]), tool="iozone", tool_version="3.4")
    for options in ({}, {"ior.a": "1"}):
        records = making.file_records("i.txt", repr(options), [1.0], config=BASE, params=FIO | options, tool="ior")
        making.archive(public=True, records=list(records))
    shown = page("x=compression")
    assert 'value="ior.a"' not in shown and 'id="choose-ior.a"' not in shown, "which no run that is drawn could have"
    assert _choices(shown, "fio.fdatasync") == ["1 3", "not given (0) 6"] and not _choices(shown, "fio.same")
    axis = re.search('<select id="axis-x".*?</select>', shown, re.S)[0]
    assert 'value="fio.fdatasync"' in axis and 'value="fio.same"' not in axis
    assert _choices(page("x=compression&setting=fio.same"), "fio.same") == ["1 6", "not given 3"]


@pytest.mark.django_db
def test_of_many_options_those_that_most_runs_were_given_are_offered(page):
    names = [f"o{number:02}" for number in range(MAX_OPTIONS + 4)]
    _archive(("lz4", {}, [1.0]), ("lz4", dict.fromkeys(names, "1"), [1.0]), ("lz4", dict.fromkeys(names[4:], "1"), [1.0]))
    shown = page("x=compression")
    assert re.findall('<details id="choose-fio.(o[^"]*)"', shown) == names[4:]
    others = re.search('<datalist id="settings-recorded">.*?</datalist>', shown, re.S)[0]
    assert re.findall('value="fio.([^"]*)"', others) == names[:4], "by name, as another setting"


@pytest.mark.django_db
def test_no_option_is_a_default_axis(figure):
    _archive(*(("lz4", {"fdatasync": text}, THREE) for text in "1234"))
    assert len(_groups(figure(""))) == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("q", "runs"),
    [("zero_buffers", 3), ("fio.zero_buffers", 3), ("zero_buffers=1", 3), ("zero_buffers=2", 0), ("zero", 0), ("poisson", 2)],
)
def test_search_finds_them_by_name_and_by_words(figure, q, runs):
    _archive(("lz4", {}, [*THREE, 4.0]), ("lz4", {"zero_buffers": "1"}, THREE), ("lz4", {"rate_process": "poisson"}, [1.0, 2.0]))
    assert sum(_groups(figure(f"x=compression&q={q}")).values()) == runs


@pytest.mark.django_db
def test_title_list_and_page_of_the_run_name_them(client, page):
    archive = _archive(("lz4", {"same": "1", "fdatasync": "1"}, THREE), ("lz4", {"same": "1"}, [1.0]))
    shown = page("x=compression")
    assert "fdatasync=1</" in shown or "fdatasync=1 " in shown or "fdatasync=1:" in shown
    titles = re.findall('fio 3.33, 1\N{NO-BREAK SPACE}GiB[^<"]*', shown)
    assert any("fdatasync=1" in title for title in titles)
    run = client.get(f"/runs/{Run.objects.filter(archive=archive).order_by('pk').first().pk}").content.decode()
    assert "fio.same" in run and "fio.fdatasync" in run


@pytest.mark.django_db
def test_exports_have_them(tmp_path):
    _archive(("lz4", {"fdatasync": "1"}, [1.0]))
    for write in (export.write_jsonl, export.write_csv):
        with open(tmp_path / "lines", "w") as out:
            write(out)
        assert "fio.fdatasync" in (tmp_path / "lines").read_text()


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("fio.fdatasync", "1", "fdatasync=1"),
        ("fio.fdatasync", "~", "fdatasync not given (0)"),
        ("fio.nobody_heard_of", "~", "nobody_heard_of not given"),
        ("rsync.bwlimit", "1048576", "bwlimit=1\N{NO-BREAK SPACE}MiB"),
        ("iozone.-e", "1", "-e"),
        ("iozone.-Z", "5", "-Z 5"),
        ("fio.--x", "5", "--x=5"),
    ],
)
def test_options_are_named_as_they_are_typed(name, text, words):
    assert option_words(name, text) == words


NAMES = st.text("abcXYZ019_-.:+@%=/", min_size=1, max_size=30).map("fio.{}".format)
GIVEN = st.dictionaries(
    st.sampled_from(["fio.-e", "fio.--delete", "fio.a", "fio.b"]) | NAMES, st.text(min_size=1, max_size=8), max_size=4
)


@given(NAMES | st.sampled_from(["fio.-e", "rsync.--delete"]), st.text(min_size=1))
def test_addresses_survive_any_name(name, value):
    if name not in DIMENSIONS:  # of a tool without a table, or an option that does not count
        return
    selection = Selection(x=name, hold=(name,), pool=(name,), filters=((name, (value,)),), settings=(name,))
    assert parse(query_pairs(selection)) == selection
    assert parse([(name, "~")]).values(name) == ("~",) and Links(Selection()).with_filters({name: "~"})
    assert passes_filter(selection, name, value) and option_words(name, "~").endswith(value_label(DIMENSIONS[name], "~"))


def _row(options):
    texts = Texts(configuration_texts({}), workload_texts({"tool": "fio", "stat": "sample", "origin": "measured"}, FIO | options))
    return SummaryRow("write.throughput", 1, 1, 1, texts)


@given(GIVEN, GIVEN)
def test_two_sets_of_options_are_one_workload_where_they_are_equal(a, b):
    a, b = ({name: text for name, text in options.items() if name in DIMENSIONS} for options in (a, b))
    keys = WorkloadKeys(Selection(x="compression"), Columns([_row(a), _row(b)]))
    assert len(keys.keys) == (1 if a == b else 2)
    # Rows that are read apart have the same keys.
    assert keys.keys[keys.codes[0]] == WorkloadKeys(Selection(x="compression"), Columns([_row(a)])).keys[0]
    pooled = Selection(x="compression", pool=tuple(sorted({*a, *b})))
    assert len(WorkloadKeys(pooled, Columns([_row(a), _row(b)])).keys) == 1


@pytest.mark.django_db
def test_every_value_of_an_option_is_listed(client, _caches):
    _archive(*(("lz4", {"rate_iops": text}, [1.0]) for text in ("100", "200")), ("lz4", {}, [1.0]))
    listed = client.get("/compare/values?dimension=fio.rate_iops&metric=write.throughput&x=compression").content.decode()
    assert all(f"fio.rate_iops={text}" in listed for text in ("100", "200", "~")) and "not given" in listed


@pytest.mark.django_db
@pytest.mark.parametrize("name", ['fio."><b>', "fio.<i>", "fio.a b", "fio.", "nobody.knows", "fio." + "a" * 200])
def test_what_is_no_name_of_an_option_is_not_understood(client, _caches, name):
    _archive(("lz4", {}, [1.0]))
    assert name not in DIMENSIONS and parse([(name, "1")]).strange == ((name, "1"),)
    page = client.get("/compare", {"metric": "write.throughput", name: "1"}).content.decode()
    assert '"><b>' not in page and "<i>" not in page


CSV = (
    "1.98,2.00a,vm,1,1795678382,4G,,8192,5,,,{rate},9,294087,15,,,314087,17,9190,30,2,,,,,1047,5,2047,6,3047,7,4047,8,5047,9,6047,9"
    ",,32481us,44405us,,32659us,60590us,124ms,27920us,38127us,18078us,7us,20081us\n"
)
SCRIPT = b"for fs in ext4 xfs; do for i in 1 2 3; do bonnie++ -d /mnt/$fs -s 4G -f -n 2 -q > $fs-$i.csv; done; done\n"


@pytest.mark.parametrize(("beside", "flagged"), [({}, True), ({"bench.sh": SCRIPT}, False)])
def test_options_that_nothing_records_qualify_a_claim(db, figure, beside, flagged):
    rates = {"ext4": (135406, 136200, 134900), "xfs": (235406, 236200, 234900)}
    files = {f"{fs}-{n}.csv": CSV.format(rate=rate).encode() for fs, of in rates.items() for n, rate in enumerate(of, 1)}
    samples.received(samples.tar(files | beside))
    groups = [group for panel in figure("x=fs&baseline=ext4")["panels"] for group in panel["groups"]]
    assert [group["n"] for group in groups] == [3, 3]
    assert all(("options" in group["flags"]) == flagged for group in groups)
    assert ("options not recorded" in str(groups)) == flagged, groups
