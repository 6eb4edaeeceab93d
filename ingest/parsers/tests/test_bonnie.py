"""bonnie++: every CSV format and report; units by bonnie++.8, bon_csv2txt.1 and bon_time.cpp."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.parsers.bonnie.bonnie_plus_plus import PARSER
from ingest.tests.reading import read, read_missing, values_by_metric
from ingest.tests.thinning import examples

OLD = "box,2G,20123,66,41234,12,15321,4,21432,55,48765,5,188.3,0,16,2711,99,+++++,+++,31870,96,2688,98,+++++,+++,9120,97"
NEW = (
    "1.97,1.97,box,1,1518887896,64G,,456,99,323909,93,233544,95,734,99,662164,99,5134,279,1,,,,,215,3,+++++,+++,168,2,215,2,+++++,+++,215,3,"
    "12us,30609us,50234us,7s,144ms,23105us,7952us,763us,1316ms,8063us,633us,7344us"
)
LATEST = (
    "1.98,2.00a,box,1,0,2G,64k,8192,5,211,79,174668,61,319106,34,1587,59,2611827,42,9028,97,64,1000,10,7,,22392,55,+++++,+++,18152,68,"
    "26040,75,+++++,+++,21254,88,153ms,73797us,29623us,27509us,21559us,20725us,44708us,4070us,67091us,33378us,582us,8358us"
)
REPORT = """Version 2.00a       ------Sequential Output------ --Sequential Input- --Random-
                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--
Name:Size etc        /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP
box              2G  211k  79  171m  61  312m  34 1587k  59  2.5g  42  9028  97
Latency               153ms   73797us   29623us   27509us   21559us   20725us
Version 2.00a       ------Sequential Create------ --------Random Create--------
box                 -Create-- --Read--- -Delete-- -Create-- --Read--- -Delete--
              files  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP
                 64 65536  55 +++++ +++ 65536  68 65536  75 +++++ +++ 65536  88
Latency             44708us    4070us   67091us   33378us     582us    8358us"""
BLANK = """Version  1.97       ------Sequential Output------ --Sequential Input- --Random-
Concurrency   1     -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--
Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP
{row}
Latency                       30609us   50234us               144ms   23105us"""


@pytest.mark.parametrize(
    ("line", "version", "metric", "value"),
    [
        (OLD, None, "write.throughput", 41234 * 1024),
        (OLD, None, "write_char.throughput", 20123 * 1024),
        (OLD, None, "seek.rate", 188.3),
        (OLD, None, "seek.cpu", 0.0),
        (OLD, None, "create_seq.rate", 2711.0),
        (OLD, None, "delete_rand.cpu", 97.0),
        (NEW, "1.97", "rewrite.throughput", 233544 * 1024),
        (NEW, "1.97", "read.latency", 0.144),
        (NEW, "1.97", "write_char.latency", 12e-6),
        (NEW, "1.97", "read_char.latency", 7.0),
        (NEW, "1.97", "seek.cpu", 279.0),
        (NEW, "1.97", "delete_seq.rate", 168.0),
        (LATEST, "2.00a", "read.throughput", 2611827 * 1024),
        (LATEST, "2.00a", "seek.rate", 9028.0),
        (LATEST, "2.00a", "delete_rand.latency", 8358e-6),
    ],
)
def test_csv_field(line: str, version: str | None, metric: str, value: float) -> None:
    values, _ = read(PARSER, line)
    assert values_by_metric(values)[metric] == pytest.approx(value)
    assert {v.tool_version for v in values} == {version}


def test_csv_tells_the_workload() -> None:
    params = read(PARSER, LATEST)[0][0].params
    assert {
        k: params[k]
        for k in (
            "file_size",
            "chunk_size",
            "seeks",
            "seekers",
            "threads",
            "files",
            "file_size_max",
            "file_size_min",
            "dirs",
        )
    } == {
        "file_size": 2 * 2**30,
        "chunk_size": 65536,
        "seeks": 8192,
        "seekers": 5,
        "threads": 1,
        "files": 65536,
        "file_size_max": 1000,
        "file_size_min": 10,
        "dirs": 7,
    }


def test_sizes_with_chunk_and_uneven_files() -> None:
    params = read(PARSER, OLD.replace("2G", "8G:64k").replace(",16,2711", ",16:1000:100/10,2711"))[0][0].params
    assert (params["file_size"], params["chunk_size"], params["files"]) == (8 * 2**30, 65536, 16384)
    assert (params["file_size_max"], params["file_size_min"], params["dirs"]) == (1000, 100, 10)


def test_plus_signs_are_a_warning_and_no_value() -> None:
    values, doubts = read(PARSER, NEW)
    assert not {"stat_seq.rate", "stat_seq.cpu", "stat_rand.rate"} & set(values_by_metric(values))
    assert [d.code for d in doubts] == ["too-fast"]
    assert "seq_stat, ran_stat" in doubts[0].message


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (NEW.replace(",,,,,", ",,,,,,"), "long-row"),
        (NEW.replace(",95,", ","), "short-row"),
        (OLD + ",5", "long-row"),
        (OLD.replace(",66,", ","), "short-row"),
    ],
)
def test_rows_of_the_wrong_length_are_refused(line: str, code: str) -> None:
    values, doubts = read(PARSER, line + "\nprose after it")
    assert not values
    assert [d.code for d in doubts] == [code]


def test_a_row_cut_at_the_end_of_the_file_gives_its_whole_fields() -> None:
    values, doubts = read(PARSER, NEW[: NEW.index("5134") + 2])
    assert values_by_metric(values)["read.cpu"] == 99.0
    assert "seek.rate" not in values_by_metric(values)
    assert "cut" in {d.code for d in doubts}


@pytest.mark.parametrize("line", [OLD, NEW])
@pytest.mark.parametrize("width", [72, 76])
def test_rows_that_a_mailer_wrapped(line: str, width: int) -> None:
    wrapped = "\n".join(line[at : at + width] for at in range(0, len(line), width))
    if len(wrapped.split("\n")) > 3:
        pytest.skip("wrapped over more lines than a mailer leaves in one row")
    whole, (found, doubts) = read(PARSER, line)[0], read(PARSER, wrapped)
    parted = sum(d.code == "bad-number" for d in doubts)
    assert len(found) == len(whole) - parted
    assert {(v.metric, v.value) for v in found} <= {(v.metric, v.value) for v in whole}
    assert all(v.raw in wrapped.split("\n")[int(v.line) - 1] for v in found)


def test_report_of_2_00_has_byte_suffixes_and_no_file_rates() -> None:
    values, doubts = read(PARSER, REPORT)
    found = values_by_metric(values)
    assert found["write.throughput"] == 171 * 2**20
    assert found["read.throughput"] == pytest.approx(2.5 * 2**30)
    assert found["write_char.throughput"] == 211 * 1024
    assert found["seek.rate"] == 9028
    assert found["create_seq.cpu"] == 55
    assert not [m for m in found if m.startswith("create") and m.endswith("rate")]
    assert {d.code for d in doubts} == {"unmeasured", "too-fast"}


@pytest.mark.parametrize("text", [REPORT + "\n" + LATEST, LATEST + "\n" + REPORT])
def test_report_and_csv_of_one_run_count_once(text: str) -> None:
    values, _ = read(PARSER, text.replace("64k,8192", ",8192").replace("64,1000,10,7", "64,,,"))
    line = text.split("\n").index(LATEST) + 1
    assert {v.same_as for v in values if v.line != line} == {line}
    assert {v.same_as for v in values if v.line == line} == {None}


def test_report_and_csv_of_different_runs_count_twice() -> None:
    values, _ = read(PARSER, REPORT + "\n" + LATEST.replace("174668", "184668"))
    assert {v.same_as for v in values} == {None}


@pytest.mark.parametrize(
    "row",
    [
        "RAIDZ2_FreeNAS_ 64G           323909  93 233544  95           662164  99  5134 279",
        "a 64G           323909  93 233544  95           1662164  99  5134 279",
        "    RAIDZ2_FreeNAS_ 64G           323909  93 233544  95           662164  99  5134 279",
    ],
)
def test_blank_columns_keep_their_place(row: str) -> None:
    found = values_by_metric(read(PARSER, BLANK.format(row=row))[0])
    assert found["write.throughput"] == 323909 * 1024
    assert found["rewrite.cpu"] == 95
    assert found["read.cpu"] == 99
    assert (found["seek.rate"], found["seek.cpu"]) == (5134, 279)
    assert found["read.latency"] == 0.144
    assert "write_char.throughput" not in found


def test_a_row_of_fast_mode_that_lost_its_blanks_has_all_but_the_figures_per_character() -> None:
    """bonnie++.8: -f skips the tests per character, and nothing else of that row can be left out."""
    values, _ = read(PARSER, BLANK.format(row="a 64G 323909 93 233544 95 662164 99 5134 279"))
    found = {v.metric: v.raw for v in values}
    assert found["write.throughput"] == "323909"
    assert (found["read.throughput"], found["seek.cpu"], found["read.latency"]) == ("662164", "279", "144ms")
    assert "write_char.throughput" not in found


@pytest.mark.parametrize(
    "row",
    ["a 64G 323909 93 233544 95 662164 99", "a 64G 93 233544 95 662164 99 5134 279", "a 64G +++ 233544 95 +++++ 99 5134 279 1"],
)
def test_a_row_that_lost_its_blanks_and_cells_is_refused(row: str) -> None:
    values, doubts = read(PARSER, BLANK.format(row=row))
    assert not [v for v in values if v.line == 4]
    assert "short-row" in {d.code for d in doubts}


def test_latencies_outlive_their_row() -> None:
    values, doubts = read(PARSER, BLANK.format(row=""))
    assert {v.metric: v.raw for v in values} == {
        "write.latency": "30609us",
        "rewrite.latency": "50234us",
        "read.latency": "144ms",
        "seek.latency": "23105us",
    }
    assert [(d.line, d.code) for d in doubts] == [(5, "short-row")]


def test_titles_of_the_file_part_tell_it_without_the_line_above_them() -> None:
    below = """
                    -Create-- --Read--- -Delete-- -Create-- --Read--- -Delete--
              files  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP
                 16   215   3 +++++ +++   168   2   215   2 +++++ +++   226   3
Latency              7952us     763us    1316ms    8063us     633us    7344us"""
    row = "a       64G           323909  93 233544  95           662164  99  5134 279"
    values, _ = read(PARSER, BLANK.format(row=row) + below)
    assert {v.metric: v.raw for v in values if v.line > 5}["create_seq.latency"] == "7952us"


@pytest.mark.parametrize(
    ("line", "last"),
    [
        (
            "box,2G,38449,67,36403,9,\ufffd\ufffd\ufffd,74,47958,7,330.6,0,256,216,99,+++++,+++,66339,55,222,99,+++++,+++,304,35",
            "9",
        ),
        ("box,2G,38449,67,36403,9,19240,5,\ufffd\ufffd\ufffd+,+++,304,35", "5"),
    ],
)
def test_of_a_csv_line_with_a_hole_the_fields_before_it_are_taken(line: str, last: str) -> None:
    values, doubts = read(PARSER, line + "\n" + OLD)
    assert [v.raw for v in values if v.line == 1][-1] == last
    assert "bad-number" in {d.code for d in doubts if d.line == 1}


def test_a_run_that_stopped_is_told() -> None:
    _, doubts = read(PARSER, "Writing with putc()...done\nWriting intelligently...done\nRewriting...")
    assert [(d.line, d.code) for d in doubts] == [(3, "cut")]


@pytest.mark.parametrize(
    "line", ["Reading package lists...", "Reading state information...", "Writing superblocks: done", "Reading 4 files"]
)
def test_what_other_programs_read_and_write_is_no_phase(line: str) -> None:
    assert read(PARSER, f"$ sudo apt install bonnie++\n{line}\nWriting intelligently...done\n{line}\n{NEW}") == read(
        PARSER, f"$ sudo apt install bonnie++\n\nWriting intelligently...done\n\n{NEW}"
    )
    assert read(PARSER, f"$ sudo apt install bonnie++\n{line}\n") == ([], [])


@pytest.mark.parametrize("line", ["Reading ", "Writing intel", "Rewriting..."])
def test_a_phase_that_was_cut_off_is_told(line: str) -> None:
    assert [d.code for d in read(PARSER, f"Writing with putc()...done\n{line}")[1]] == ["cut"]


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(0, len(REPORT + NEW)))
def test_cutting_invents_nothing(at: int) -> None:
    text = REPORT + "\n" + NEW
    whole = {(v.line, v.metric, v.raw) for v in read(PARSER, text)[0]}
    last = text[:at].count("\n") + 1
    assert all((v.line, v.metric, v.raw) in whole or last in (v.line, *v.depends) for v in read(PARSER, text[:at])[0])


_TWO_GIB, _FILES = 2 * 2**30, 16 * 1024


@pytest.mark.parametrize(
    ("line", "metric", "raw", "bound"),
    [
        ("box,2G,+++++,+++,41234,12,,,,,48765,5,188.3,0,,,,,,,,,,,,,", "write_char.throughput", "+++++", _TWO_GIB / 0.5),
        ("box,2G,+++++,+++,41234,12,,,,,48765,5,188.3,0,,,,,,,,,,,,,", "write_char.cpu", "+++", None),
        ("box,2G,20123,66,41234,12,,,,,+++++,+++,188.3,0,,,,,,,,,,,,,", "read.throughput", "+++++", _TWO_GIB / 0.5),
        ("box,2G,20123,66,41234,12,,,,,48765,5,+++++,+++,,,,,,,,,,,,,", "seek.rate", "+++++", None),  # number of seeks unknown
        (OLD, "stat_seq.rate", "+++++", _FILES / 0.5),
        (NEW, "stat_rand.rate", "+++++", 1024 / 0.5),
        (LATEST.replace(",9028,97,", ",+++++,+++,"), "seek.rate", "+++++", 8192 / 0.5),
        (NEW.replace("12us", "+++++"), "write_char.latency", "+++++", None),
        (REPORT, "stat_seq.rate", "+++++", 64 * 1024 / 0.5),
        (
            BLANK.format(row="a       64G           +++++ +++ 233544  95           662164  99  5134 279"),
            "write.throughput",
            "+++++",
            2**37,
        ),
        (
            BLANK.format(row="a       64G              0k +++ 233544  95           662164  99  5134 279"),
            "write.throughput",
            "0k",
            2**37,
        ),
    ],
)
def test_too_fast_is_unmeasured_beyond_half_a_second(line: str, metric: str, raw: str, bound: float | None) -> None:
    found = next(m for m in read_missing(PARSER, line) if m.metric == metric)
    assert (found.raw, found.reason, found.bound, found.side) == (raw, "too_fast", bound, bound and "above")
    assert "too-fast" in {doubt.code for doubt in read(PARSER, line)[1]}


def test_too_fast_in_report_and_csv_line_is_one_value() -> None:
    both = [m for m in read_missing(PARSER, REPORT + "\n" + LATEST) if m.metric == "stat_rand.rate"]
    assert [(m.line, m.same_as, m.bound) for m in both] == [(9, 11, 64 * 1024 / 0.5), (11, None, 64 * 1024 / 0.5)]


@pytest.mark.parametrize(
    ("text", "phases"),
    [
        (
            "Writing with putc()...done\nWriting intelligently...done\nRewriting...",
            ["write_char.throughput", "write.throughput", "rewrite.throughput"],
        ),
        ("Writing intelligently...done\n" * 2 + "start 'em...Killed", ["write.throughput", "seek.rate"]),
        ("Writing intelligently...done\nCreate files in random order...", ["write.throughput", "create_rand.rate"]),
        ("Writing intelligently...done\n", []),
    ],
)
def test_a_run_that_stopped_finished_none_of_its_phases(text: str, phases: list[str]) -> None:
    missing = read_missing(PARSER, text)
    assert [m.metric for m in missing] == phases
    assert {(m.reason, m.bound, m.side) for m in missing} <= {("not_finished", None, None)}
    assert len({m.run for m in missing}) <= 1


_COLUMNS_OF_CSV = {2 + 2 * n: name for n, name in enumerate(("write_char", "write", "rewrite", "read_char", "read", "seek"))} | {
    15 + 2 * n: name for n, name in enumerate(("create_seq", "stat_seq", "delete_seq", "create_rand", "stat_rand", "delete_rand"))
}


@settings(max_examples=examples(60), deadline=None)
@given(st.sets(st.sampled_from(sorted(_COLUMNS_OF_CSV))))
def test_any_column_is_a_value_or_unmeasured(fast: set[int]) -> None:
    fields = OLD.replace("+++++,+++", "31870,96").split(",")
    for column in fast:
        fields[column : column + 2] = "+++++", "+++"
    line = ",".join(fields)
    values, missing = read(PARSER, line)[0], read_missing(PARSER, line)
    for column, operation in _COLUMNS_OF_CSV.items():
        quantity = "throughput" if column < 12 else "rate"
        for metric in (f"{operation}.{quantity}", f"{operation}.cpu"):
            taken = [v.metric for v in values].count(metric), [m.metric for m in missing].count(metric)
            assert taken == ((0, 1) if column in fast else (1, 0)), metric
