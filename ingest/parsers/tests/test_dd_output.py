"""Output of dd that is cut, wrapped or kept as one string."""

from __future__ import annotations

import pytest

from ingest.parsers.copies.dd import PARSER
from ingest.records import Doubt, Value
from ingest.text.lines import Text

_PROGRESS = "7965949952 bytes (8.0 GB, 7.4 GiB) copied, 2073.05 s, 3.8 MB/s"
_COUNTS = "1900+0 records in\n1900+0 records out"
_WHOLE = "7969177600 bytes (8.0 GB, 7.4 GiB) copied, 2074.07 s, 3.8 MB/s"


def _read(body: str) -> tuple[list[float], list[tuple[int, str]]]:
    """The elapsed seconds of values; line and code of each doubt."""
    records = list(PARSER.parse(Text("out.txt", body.split("\n"), body)))  # type: ignore[misc]
    seconds = [record.value for record in records if isinstance(record, Value) and record.metric.endswith(".elapsed")]
    return seconds, [(record.line, record.code) for record in records if isinstance(record, Doubt)]


@pytest.mark.parametrize("kept", [10, 30, 45, 55, 60])
def it_takes_no_line_of_progress_for_the_result_that_is_cut(kept: int) -> None:
    seconds, doubts = _read(f"{_PROGRESS}\n{_COUNTS}\n{_WHOLE[:kept]}")
    assert seconds == []
    assert (1, "cut") in doubts


def it_takes_the_result_behind_its_progress() -> None:
    seconds, doubts = _read(f"{_PROGRESS}\n{_COUNTS}\n{_WHOLE}")
    assert seconds == [2074.07]
    assert (1, "progress") in doubts


@pytest.mark.parametrize("half", ["7969177600", "7969177600 by", "7969177600 bytes "])
def it_warns_where_only_the_bytes_of_a_summary_are_left(half: str) -> None:
    assert _read(f"dd if=/dev/zero of=/tank/x bs=1M\n{half}") == ([], [(2, "cut")])


def it_leaves_a_number_alone_that_follows_a_finished_copy() -> None:
    assert _read(f"dd if=/dev/zero of=/tank/x bs=1M\n{_COUNTS}\n{_WHOLE}\n7969177600") == ([2074.07], [])


def it_counts_a_result_once_that_a_log_shows_as_string_and_as_list() -> None:
    lines = [*_COUNTS.split("\n"), _WHOLE]
    string, listed = "\\n".join(lines), ", ".join(f'"{line}"' for line in lines)
    logged = f'"cmd": "dd if=/dev/zero of=/tank/x bs=1M", "stderr": "{string}", "stderr_lines": [{listed}]'
    assert _read(logged) == ([2074.07], [])


RESULT = "100+0 records in\n100+0 records out\n104857600 bytes (105 MB, 100 MiB) copied, {} s, {} MB/s\n"


@pytest.mark.parametrize(
    ("between", "second", "path", "doubts"),
    [
        ("&", "of=/b/x", {None}, 2),
        ("&", "of=/a/x", {"/a/x"}, 0),
        ("& wait;", "of=/b/x", {"/a/x", "/b/x"}, 0),
        ("2>&1 &&", "of=/b/x", {"/a/x", "/b/x"}, 0),
    ],
)
def test_concurrent_dds_have_their_common_workload(between, second, path, doubts):
    """The shell prints the summaries in the order in which the copies end."""
    command = f"$ dd if=/dev/zero of=/a/x bs=1M count=100 {between} dd if=/dev/zero {second} bs=1M count=100"
    body = f"{command}\n{RESULT.format('0.5', 210)}{RESULT.format('0.7', 150)}"
    records = list(PARSER.parse(Text("out.txt", body.split("\n"), body)))  # type: ignore[misc]
    values = [record for record in records if isinstance(record, Value)]
    assert len(values) == 4 and {value.params["block_size"] for value in values} == {2**20}
    assert {value.params.get("path") for value in values} == path
    assert {value.metric for value in values} == {"write.elapsed", "write.throughput"}
    assert [record.code for record in records if isinstance(record, Doubt)] == ["ambiguous"] * doubts


_ONE = "1073741824 bytes (1.1 GB, 1.0 GiB) copied, {} s, 187 MB/s"
_BSD = "209715200 bytes transferred in 0,{} secs (489MB/sec)"


@pytest.mark.parametrize(
    "line",
    [
        f"| ssd | {_ONE.format(5.73744)} | {_ONE.format(5.74855)} |",
        f"{_ONE.format(5.73744)}<br>{_ONE.format(5.74855)}",
        f"{_ONE.format(5.73744)}, {_ONE.format(5.74855)}",
    ],
)
def it_takes_every_summary_of_a_line(line: str) -> None:
    assert _read(f"Both disks:\n{line}")[0] == [5.73744, 5.74855]


def it_takes_summaries_that_a_page_put_together() -> None:
    assert _read(f"Read\n| sync | {_BSD.format(409412)}{_BSD.format(409413)} |")[0] == [0.409412, 0.409413]


@pytest.mark.parametrize(("line", "codes"), [("1024 bytes (1", ["cut"]), ("  read_block0: 512 bytes (4s, 999997us)", [])])
def it_takes_no_read_block_of_hwinfo_for_a_summary(line: str, codes: list[str]) -> None:
    assert [code for _, code in _read(f">> int.4.1: /dev/vda\n{line}\n")[1]] == codes
