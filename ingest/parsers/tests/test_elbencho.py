"""elbencho: what its units, options and dates mean (UnitTk.cpp, --help-all), and two forms of one execution."""

from __future__ import annotations

import pytest

import ingest
from ingest.parsers.suites._elbencho_command import parse_command, parse_date, parse_phase_time, parse_size
from ingest.parsers.suites.elbencho import PARSER, parse
from ingest.records import Doubt, Measurement, Value
from ingest.tests import reading
from ingest.tests.samples import FOLDER
from ingest.text.lines import Text

TABLE = """\
OPERATION   RESULT TYPE         FIRST DONE   LAST DONE
=========== ================    ==========   =========
WRITE       Elapsed time     :      2.040s      2.050s
            {label:<17}: {first:>11} {last:>11}
            Total MiB        :        2040        2048
---
"""


def values_of(body: str) -> list[Value | Doubt]:
    return list(parse(Text("t", body.split("\n"), body)))


@pytest.mark.parametrize(
    ("printed", "took", "raw"),
    [
        ("82ms", 0.082, "82"),
        ("16.248s", 16.248, "16.248"),
        ("2m3.241s", 123.241, "2m3.241s"),
        ("1h0m0s", 3600, "1h0m0s"),
        ("1583us", 0.001583, "1583"),
        ("8.12ms", 0.00812, "8.12"),
        ("12", None, ""),
        ("s", None, ""),
    ],
)
def test_times_are_read_as_unittk_prints_them(printed, took, raw):
    figure = parse_phase_time(printed)
    assert (figure is None) if took is None else (figure is not None and figure[0] == pytest.approx(took) and figure[2] == raw)


@pytest.mark.parametrize(("text", "count"), [("4K", 4096), ("1g", 2**30), ("131072", 131072), ("16m", 2**24), ("x", None)])
def test_sizes_are_powers_of_1024(text, count):
    assert parse_size(text) == count


@pytest.mark.parametrize(
    ("label", "first", "last", "metric", "value"),
    [
        ("Throughput MiB/s", "1000", "999", "write.throughput", 999 * 2**20),
        ("Throughput MB/s", "1048", "1047", "write.throughput", 1047e6),
        ("IOPS", "1000", "999", "write.rate", 999),
        ("Files/s", "31", "30", "file_create.rate", 30),
        ("CPU util %", "7", "6", "write.cpu", 6),
    ],
)
def test_the_last_done_is_the_result_and_the_first_a_part_of_it(label, first, last, metric, value):
    found = [item for item in values_of(TABLE.format(label=label, first=first, last=last)) if isinstance(item, Value)]
    whole = [item for item in found if item.metric == metric and "part" not in item.params]
    part = [item for item in found if item.metric == metric and item.params.get("part") == "first done"]
    assert [item.value for item in whole] == [value]
    assert [item.raw for item in part] == [first]


@pytest.mark.parametrize("cells", [("0", "12"), ("12", "0"), ("12", "1x"), ("0", "0")])
def test_a_rate_that_is_none_is_a_doubt_and_no_zero(cells):
    found = values_of(TABLE.format(label="IOPS", first=cells[0], last=cells[1]))
    assert all(item.value for item in found if isinstance(item, Value))
    assert {item.code for item in found if isinstance(item, Doubt)} <= {"unmeasured", "bad-number"}
    assert any(isinstance(item, Doubt) for item in found)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("elbencho -wr -t8 -s 1g -b4k --rand f", {"threads": 8, "file_size": 2**30, "block_size": 4096, "pattern": "random"}),
        ("elbencho --threads=2 --size 64M --iodepth 4 f", {"threads": 2, "file_size": 2**26, "iodepth": 4, "block_size": 2**20}),
        ("elbencho -r --backward -n 2 -N 50 d", {"pattern": "backward", "dirs": 2, "files_per_dir": 50, "threads": 1}),
        ('elbencho "--hosts" "a,b,c" "--direct" f', {"nodes": 3, "direct": "on"}),
        ("elbencho --hosts node[1-9] f", {"nodes": None}),
        ("elbencho -r -t$T -c my.conf f", {"threads": None, "block_size": None}),
        ('elbencho "-b" "4k" "-t" "2" "--', {"threads": 2, "block_size": 4096, "iodepth": None}),
        ("elbencho --s3endpoints http://h --s3key K --s3secret S b", {"api": "S3"}),
    ],
)
def test_options_are_those_of_the_manual(command, told):
    params = parse_command(command)
    assert {name: params.get(name) for name in told} == told


def test_keys_of_an_object_store_are_not_shown():
    command = parse_command('elbencho "--s3key" "KEY" --s3secret=SECRET --s3endpoints http://h b')["command"]
    assert "KEY" not in command.replace("s3key", "") and "SECRET" not in command


@pytest.mark.parametrize(
    ("printed", "iso"),
    [
        ("2025-09-30T00:59:57+0000", "2025-09-30T00:59:57+00:00"),
        ("2025-01-09T09:15:02.118-0500", "2025-01-09T09:15:02.118-05:00"),
        ("2026-05-22T16:09:38", "2026-05-22T16:09:38"),
        ("2026-15-22T16:09:38", None),
    ],
)
def test_dates(printed, iso):
    assert parse_date(printed) == iso


def test_a_csv_beside_the_table_of_the_same_execution_is_no_repetition(tmp_path):
    table = (FOLDER / "elbencho" / "3.x-resfile-hosts-percentiles.txt").read_text()
    (tmp_path / "a.out").write_text(table)
    labels = (
        "ISO date,label,path type,paths,hosts,threads,file size,block size,operation,time ms [first],time ms [last],IOPS [first],"
        "IOPS [last],MiB/s [first],MiB/s [last],IO lat us [min],IO lat us [avg],IO lat us [max],version,command"
    )
    row = (
        "2024-03-11T18:02:47.100+0100,two clients,file,4,2,2,8589934592,1048576,READ,9871,10442,3201,3138,3201,3138,301,1270,88400,"
        '3.0-5,"elbencho" "-r"'
    )
    (tmp_path / "a.csv").write_text(f"{labels}\n{row}\n")
    found = [record for record in ingest.read([tmp_path]) if isinstance(record, Measurement)]
    doubled = [record for record in found if record.file.endswith(".csv")]
    assert doubled and all(record.duplicate_of and ".out:" in record.duplicate_of for record in doubled)


def test_states_of_a_running_phase_alone_are_told() -> None:
    titles = "ISO Date,Label,Phase,RuntimeMS,Rank,MixType,Done%,DoneBytes,MiB/s,IOPS\n"
    values, doubts = reading.read(PARSER, titles + "2026-02-09T11:18:30.170-0500,,READ,1000,Total,,0,1,117,3\n")
    assert not values and [doubt.code for doubt in doubts] == ["progress"]
