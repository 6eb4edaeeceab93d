"""bonnie++: names of machines, what converters and pages make of its lines."""

from __future__ import annotations

import pytest

from ingest.parsers.bonnie.bonnie_plus_plus import PARSER
from ingest.parsers.tests.test_bonnie import NEW, OLD
from ingest.tests.reading import read
from ingest.tests.samples import FOLDER


def _values_of(sample: str) -> dict[tuple[int, str], float]:
    """(place of the run, metric) -> value, in a sample of the tool's own converters."""
    content = (FOLDER / "bonnie++" / sample).read_text()
    values, _ = read(PARSER, content)
    runs = {run: place for place, run in enumerate(sorted({v.run for v in values}))}
    return {(runs[v.run], v.metric): v.value for v in values}


def test_converters_show_the_same_runs() -> None:
    text, page = _values_of("bon-csv2txt-200.txt"), _values_of("bon-csv2html-200.txt")
    assert set(text) == set(page)
    for key, value in text.items():
        assert page[key] == pytest.approx(value, rel=0.06), key
    assert page[2, "write_char.throughput"] == 201111 * 1024
    assert text[2, "create_seq.rate"] == 22392
    assert (0, "read.throughput") not in text
    assert (3, "write_char.throughput") not in page


def test_a_page_of_1_03() -> None:
    values = _values_of("bon-csv2html-103.txt")
    assert values[0, "write.throughput"] == 41234 * 1024
    assert values[0, "delete_rand.cpu"] == 97
    assert (0, "stat_seq.rate") not in values


def test_a_colon_between_machine_and_size_is_no_part_of_the_name():
    row = "box:4000M,43979,99,172543,29,71811,21,41760,87,201870,39,498.9,1,16,1042,11,30276,99,2800,16,1063,12,29491,99,2257,17"
    values, doubts = read(PARSER, f"> {row}\n")
    assert doubts == []
    assert len(values) == 24
    assert {value.params["machine"] for value in values} == {"box"}
    assert {value.params["file_size"] for value in values} == {4000 * 2**20}


def test_a_row_given_to_bon_csv2html_is_the_row():
    row = (
        "1.96,1.96,box,1,1373282064,24G,,521,99,192435,27,106363,15,2691,98,446441,27,1067,43,16,,,,,23295,46,+++++,+++,"
        "+++++,+++,+++++,+++,+++++,+++,+++++,+++,16070us,454ms,174ms,14736us,98188us,30739us,5985us,563us,583us,960us,32us,259us"
    )
    plain, _ = read(PARSER, row + "\n")
    values, doubts = read(PARSER, f'    echo "{row}" | bon_csv2html > bonnie.html\n')
    assert [doubt.code for doubt in doubts] == ["too-fast"]
    assert [(value.metric, value.value) for value in values] == [(value.metric, value.value) for value in plain]


def test_a_name_cut_to_fit_its_column_is_no_host():
    report = (
        "Version 1.03e       ------Sequential Output------ --Sequential Input- --Random-\n"
        "                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--\n"
        "Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP\n"
        "someone-deskt 7400M 68668  96 90968  13 46149   8 72292  93 110127   5 259.0   0\n"
        "                    ------Sequential Create------ --------Random Create--------\n"
        "                    -Create-- --Read--- -Delete-- -Create-- --Read--- -Delete--\n"
        "              files  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP\n"
        "                 16   149  99   293  99  1395 100   247  99   288  99   480  99\n"
    )
    values, _ = read(PARSER, report)
    assert len(values) == 24
    assert not any("host" in value.printed_config for value in values)


@pytest.mark.parametrize(
    ("name", "host"),
    [
        ("ip-10-0-3-7", True),
        ("node-12", True),
        ("rack4-007", True),
        ("dynamic-11.example.net", True),
        ("nfs-worker1", True),
        ("BenchClient", True),
        ("test-vm", True),
        ("ceph-node3", True),
        ("zfs.example.org", True),
        ("2.4.20-ac1", False),
        ("4-disks", False),
        ("linux-2.6.18", False),
        ("xfs-4-64", False),
        ("nfs-async", False),
        ("vm-ssd", False),
        ("raid10-4", False),
        ("tests", False),
        ("test1", False),
        ("bench", False),
        ("10.0.18.6", False),
        ("v4.128M", False),
    ],
)
def test_names_of_machines_that_can_be_hosts(name: str, host: bool) -> None:
    values, _ = read(PARSER, OLD.replace(OLD.partition(",")[0], name, 1))
    assert ("host" in values[0].printed_config) == host


def test_rows_that_compare_what_is_no_host_name_none() -> None:
    for names, hosts in ((("acrypto", "dm_crypt"), []), (("node-1", "node-2"), ["node-1", "node-2"])):
        rows = [OLD.strip().replace(OLD.partition(",")[0], name, 1) for name in names]
        values, _ = read(PARSER, "\n".join(rows) + "\n")
        assert list(dict.fromkeys(v.printed_config["host"][0] for v in values if "host" in v.printed_config)) == hosts


def test_a_row_in_a_string_of_code_over_several_lines() -> None:
    fields = NEW.strip().split(",")
    code = f"""out = '{",".join(fields[:15])},\\
           {",".join(fields[15:30])},\\
           {",".join(fields[30:])}\\n'
run(out)
"""
    whole, (found, doubts) = read(PARSER, NEW)[0], read(PARSER, code)
    assert [(v.metric, v.value) for v in found] == [(v.metric, v.value) for v in whole]
    assert {d.code for d in doubts} <= {"too-fast"}


@pytest.mark.parametrize("end", [" ", ""])
def test_a_report_whose_line_ends_were_lost(end: str) -> None:
    report = (
        "Version 1.03e       ------Sequential Output------ --Sequential Input- --Random-\n"
        "                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--\n"
        "Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP\n"
        "3shelf           8G           90968  13 46149   8           110127   5 259.0   0\n"
        "                    ------Sequential Create------ --------Random Create--------\n"
        "                    -Create-- --Read--- -Delete-- -Create-- --Read--- -Delete--\n"
        "              files  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP\n"
        "                 16   149  99   293  99  1395 100   247  99   288  99   480  99\n"
    )
    flat = "Here: " + (report.replace("\n", end) if not end else " ".join(report.split())) + "\nThe end.\n"
    whole, (found, doubts) = read(PARSER, report)[0], read(PARSER, flat)
    assert doubts == []
    assert [(v.metric, v.value, v.params) for v in found] == [(v.metric, v.value, v.params) for v in whole]
    assert {v.line for v in found} == {1}
