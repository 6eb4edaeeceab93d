"""Lines that a mailer wrapped at a blank, and strings of lists with signs of a terminal: the values of the lines as printed."""

from __future__ import annotations

import base64
import json

import pytest

from ingest.tests.whole import read_measurements

_BONNIE = """\
Version  1.97       ------Sequential Output------ --Sequential Input- --Random-
Concurrency   1     -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--
Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP
nas07            8G           604812  93 351277  71           1203344  84 12650
317
Latency                       12440us   24117us              5957us    8073us
"""
_DD = """\
$ time dd if=/dev/zero of=/srv/scratch/a.dat conv=fdatasync
bs=1M count=512
512+0 records in
512+0 records out
536870912 bytes (537 MB, 512 MiB) copied, 4.25 s, 126 MB/s

real\t0m4.262s
user\t0m0.001s
sys\t0m0.402s
"""
_MDTEST = """\
-- started at 03/01/2024 10:00:00 --

mdtest-1.9.3 was launched with 4 total task(s) on 2 node(s)
Command line used:
/opt/bin/mdtest -n 1000 -u -F
-d /scratch/mdt
Path: /scratch
FS: 10.0 TiB   Used FS: 1.0%   Inodes: 1.0 Mi   Used Inodes: 1.0%

4 tasks, 4000 files

SUMMARY rate: (of 1 iterations)
   Operation                      Max            Min           Mean        Std Dev
   ---------                      ---            ---           ----        -------
   File creation     :       5123.500       5123.500       5123.500          0.000

-- finished at 03/01/2024 10:00:05 --
"""
_IO500 = """\
[RESULT] BW   phase 1            ior_easy_write               12.345
GB/s : time 301.00 seconds
[RESULT] BW   phase 2            ior_hard_write                0.512
GB/s : time 333.10 seconds
[RESULT] IOPS phase 1         mdtest_easy_write               81.000
kiops : time 310.00 seconds
"""
_GRID = """\
"Writer report"
\t"64"\t"128"\t"256"
"1024"\t250101\t260202\t270303

"Reader report"
\t"64"\t"128"\t"256"
"1024"\t9\t8\t7
"""


def _told(text: str) -> list[tuple[str, str]]:
    return [(one.metric, one.raw) for one in read_measurements({"a.txt": text})]


def test_a_share_of_the_processor_below_a_row_with_blank_columns() -> None:
    assert _told(_BONNIE)[:8] == [
        ("write.throughput", "604812"),
        ("write.cpu", "93"),
        ("rewrite.throughput", "351277"),
        ("rewrite.cpu", "71"),
        ("read.throughput", "1203344"),
        ("read.cpu", "84"),
        ("seek.rate", "12650"),
        ("seek.cpu", "317"),
    ]


def test_operands_below_the_command_that_was_timed() -> None:
    params = [one.params for one in read_measurements({"a.txt": _DD}) if one.metric.startswith("run.")]
    assert [(one["block_size"], one["path"]) for one in params] == [(1 << 20, "/srv/scratch/a.dat")] * 3


def test_a_command_wholly_below_its_label() -> None:
    one, *_ = read_measurements({"a.txt": _MDTEST})
    assert (one.raw, one.params["access"]) == ("5123.500", "directory per task")


def test_units_below_rates_that_end_at_one_column() -> None:
    assert [raw for metric, raw in _told(_IO500) if "elapsed" not in metric] == ["12.345", "0.512", "81.000"]


def test_a_grid_whose_columns_tabs_part_is_read_once() -> None:
    assert _told(_GRID) == [("write.throughput", raw) for raw in ("250101", "260202", "270303")] + [
        ("read.throughput", raw) for raw in "987"
    ]


def test_a_mail_that_says_it_is_quoted_printable_and_holds_one_such_sign() -> None:
    text = (
        "Content-Transfer-Encoding: quoted-printable\n\n/dev/sda:\n"
        " Timing cached reads:   2000 MB in  2.00 seconds =3D 1000.00 MB/sec\n"
    )
    assert _told(text) == [("cached_read.throughput", "1000.00")]


def test_a_quoted_printable_part_among_others() -> None:
    dd = (
        "dd if=/dev/zero of=/srv/{} bs=1M count=512\n512+0 records in\n512+0 records out\n"
        "536870912 bytes (537 MB) copied, 4.25 s, 126 MB/s\n"
    )
    part = "Content-Transfer-Encoding: quoted-printable\n\n" + dd.format("b").replace("=", "=3D").replace(" count", "=\n count")
    text = f"From a@b Mon\nContent-Transfer-Encoding: 7bit\n\n{dd.format('a')}\nFrom c@d Tue\n{part}"
    params = [(one.line, one.params["path"], one.params["block_size"]) for one in read_measurements({"a.txt": text})]
    assert params == [(7, "/srv/a", 1 << 20)] * 2 + [(16, "/srv/b", 1 << 20)] * 2


def test_a_rule_and_a_sentence_from_end_no_quoted_printable_part() -> None:
    dd = (
        "From these results\n{}\n-----Original Message-----\ndd if=/dev/zero of=/srv/b bs=1M count=512\n512+0 records in\n"
        "512+0 records out\n536870912 bytes (537 MB) copied, 4.25 s, 126 MB/s\n"
    ).format("-" * 40)
    part = "Content-Transfer-Encoding: quoted-printable\n\n" + dd.replace("=", "=3D").replace(" count", "=\n count")
    text = f"{part}\n--====1234==\nContent-Transfer-Encoding: 7bit\n\ndd if=/dev/zero of=/srv/a bs=1M\n"
    assert [one.params["block_size"] for one in read_measurements({"a.txt": text})] == [1 << 20] * 2


def test_a_part_in_base64_is_counted_in_bytes() -> None:
    text = "\u00e4\u2013\u20ac" * 100 + "\n" + _IO500
    coded = base64.encodebytes(text.encode()).decode()
    first, *_ = read_measurements({"a.txt": f"Content-Transfer-Encoding: base64\n\n{coded}\n"})
    begun = text[: text.rindex("\n", 0, text.index(first.raw)) + 1]
    assert first.line == 3 + len(begun.encode()) // 57


def test_lines_of_a_part_in_base64_stand_on_its_own() -> None:
    text = "To: x\nContent-Transfer-Encoding: base64\n\n" + base64.encodebytes(_IO500.encode()).decode() + "\nBye\n"
    first, *_ = read_measurements({"a.txt": text})
    assert (first.raw, first.line) == ("12.345", 4)


@pytest.mark.parametrize("write", (json.dumps, lambda line: json.dumps(line, ensure_ascii=False)))
def test_a_list_of_lines_with_progress_and_other_alphabets(write) -> None:
    copied = "\u0441\u043a\u043e\u043f\u0438\u0440\u043e\u0432\u0430\u043d\u043e"
    done = "512+0 \u0437\u0430\u043f\u0438\u0441\u0435\u0439"
    lines = [
        "$ dd if=/dev/zero of=a bs=1M count=512 status=progress",
        f"100000000 B (100 MB) {copied}, 1 s, 100 MB/s\r\x1b[K{done} in",
        f"{done} out",
        f"536870912 B (537 MB) {copied}, 4,25 s, 126 MB/s",
    ]
    text = '"out.stdout_lines": [\n' + ",\n".join("    " + write(line) for line in lines) + "\n]\n"
    assert _told(text) == [("write.elapsed", "4,25"), ("write.throughput", "126")]
