"""dd: dialects, languages, direction, progress; units by the sources that ingest/units.py cites."""

from __future__ import annotations

import pytest

from ingest.parsers.copies import dd
from ingest.parsers.copies._dd_command import parse_dd_command
from ingest.parsers.copies.dd import PARSER
from ingest.tests.reading import read, values_by_metric
from ingest.tests.samples import FOLDER, outputs
from ingest.text.decode import read_text

RECORDS = "1024+0 records in\n1024+0 records out\n"
GNU = "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 4.26588 s, 252 MB/s"


@pytest.mark.parametrize(
    ("line", "seconds", "rate"),
    [
        (GNU, 4.26588, 1073741824 / 4.26588),
        ("1073741824 bytes (1.1 GB) copied, 4.26588 seconds, 252 MB/s", 4.26588, 1073741824 / 4.26588),
        ("2048 bytes (2.0 kB, 2.0 KiB) copied, 3.2398e-05 s, 63.2 MB/s", 3.2398e-05, 2048 / 3.2398e-05),
        ("512 bytes copied, 3.5e-05 s, 14.6 MB/s", 3.5e-05, 512 / 3.5e-05),
        ("4294967296 bytes transferred in 21.803945 secs (196980926 bytes/sec)", 21.803945, 196980926.0),
        ("536870912 bytes transferred in 11.397612 seconds (47103804 bytes/sec)", 11.397612, 47103804.0),
        ("4294967296 bytes transferred in 12.500000 secs (328MB/sec)", 12.5, 4294967296 / 12.5),
        ("1073741824 bytes (1.0GB) copied, 52.313516 seconds, 19.6MB/s", 52.313516, 1073741824 / 52.313516),
        ("104857600 bytes (100M) copied, 0.057 s, 1.7G/s", 0.057, 104857600 / 0.057),
        ("1024000 bytes copied, 300000 usec, 3333 KB/s", 0.3, 1024000 / 0.3),
        ("1073741824 Bytes (1,1 GB, 1,0 GiB) kopiert, 4,26588 s, 252 MB/s", 4.26588, 1073741824 / 4.26588),
        ("4294967296 Bytes (4,3 GB) kopiert, 54,1014 Sekunden, 79,4 MB/s", 54.1014, 4294967296 / 54.1014),
        (
            "268435456\u00a0octets (268 MB, 256 MiB) copi\u00e9s, 0,0641678 s, 4,2 GB/s",
            0.0641678,
            268435456 / 0.0641678,
        ),
        ("skopiowane 1073741824 bajty (1,1 GB, 1,0 GiB), 4,26588 s, 252 MB/s", 4.26588, 1073741824 / 4.26588),
        (
            "7759462400 \u30d0\u30a4\u30c8 (7.8 GB) "
            "\u30b3\u30d4\u30fc\u3055\u308c\u307e\u3057\u305f\u3001 1193.47 \u79d2\u3001 6.5 MB/\u79d2",
            1193.47,
            7759462400 / 1193.47,
        ),
        (
            "1073741824\u5b57\u8282\uff081.1 GB\uff0c1.0 GiB\uff09\u5df2\u590d\u5236\uff0c4.26588 s\uff0c252 MB/s",
            4.26588,
            1073741824 / 4.26588,
        ),
        (
            "1073741824 \u0431\u0430\u0439\u0442 (1,1 GB, 1,0 GiB) "
            "\u0441\u043a\u043e\u043f\u0438\u0440\u043e\u0432\u0430\u043d, 4,26588 s, 252 MB/s",
            4.26588,
            1073741824 / 4.26588,
        ),
    ],
)
def test_summary(line: str, seconds: float, rate: float) -> None:
    values, doubts = read(PARSER, f"$ dd if=/tank/f of=/dev/null bs=1M\n{RECORDS}{line}")
    assert values_by_metric(values) == {"read.elapsed": pytest.approx(seconds), "read.throughput": pytest.approx(rate)}
    assert not doubts
    assert all(v.raw in line for v in values)


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("dd if=/dev/zero of=/tank/f bs=1M", "write"),
        ("dd if=/tank/f of=/dev/null", "read"),
        ("dd if=/dev/zero bs=1G count=20 > /mnt/f", "write"),
        ("dd if=/tank/f | md5sum", "read"),
        ("gunzip <x.gz | dd of=/dev/sdb bs=1M", "write"),
        ("dd if=/dev/zero of=/dev/null", "transfer"),
        ("sudo dd if=/dev/sda of=/dev/null 2>&1", "read"),
        ("busybox dd of=/tank/f </dev/zero bs=4k", "write"),
        ("dd if=/dev/zero bs=10M | pv > f", "write"),
        ("dd if=/dev/zeroof=/tank/f bs=1G count=1", "write"),  # a page lost the blank
        ("dd if=/tank/f of=/dev/nullbs=1M", "read"),
    ],
)
def test_direction(text: str, operation: str) -> None:
    command = parse_dd_command(text, 1)
    assert command is not None
    assert command.dds[0].operation == operation


def test_operands_are_the_workload() -> None:
    values, _ = read(PARSER, f"# dd if=/dev/zero of=/tank/f bs=4k oflag=direct conv=notrunc,fsync\n{RECORDS}{GNU}")
    assert {k: values[0].params[k] for k in ("block_size", "direct", "fsync", "file_size", "path")} == {
        "block_size": 4096,
        "direct": "on",
        "fsync": "fsync",
        "file_size": 1073741824,
        "path": "/tank/f",
    }


@pytest.mark.parametrize(
    ("text", "lines", "codes"),
    [
        (
            f"$ dd if=a of=b status=progress\n900000000 bytes (900 MB, 858 MiB) copied, 3 s, 300 MB/s\n{RECORDS}{GNU}",
            {5},
            ["progress"],
        ),
        ("$ dd if=a of=b status=progress\n900000000 bytes (900 MB, 858 MiB) copied, 3 s, 300 MB/s", set(), ["cut"]),
        (
            f"$ dd if=a of=b\n1+0 records in\n1+0 records out\n1048576 bytes (1.0 MB) copied, 1.5 s, 699 kB/s\n{RECORDS}{GNU}",
            {7},
            ["progress"],
        ),
        (f"$ for i in 1 2; do dd if=a of=b; done\n{RECORDS}{GNU}\n{RECORDS}{GNU}", {4, 7}, []),
        (f"$ dd if=a of=b status=noxfer\n{RECORDS}", set(), []),
        (f"$ dd if=a of=b\n{RECORDS}$ ls", set(), ["unmeasured"]),
        (f"$ dd if=a of=b\n{RECORDS}1073741824 bytes (1.1 GB) copied, 0 s, Infinity B/s", set(), ["zero-time"]),
        (f"$ dd if=a of=b\n{RECORDS}1073741824 bytes (1.1 GB) copied0123abcd -\n, 4.2 s, 252 MB/s", set(), ["cut"]),
        (f"$ dd if=a of=b\n{RECORDS}1073741824 bytes (1.1 GB) copied, 4.26588 s, 999 MB/s", {4}, ["disagree"]),
        (GNU, {1}, ["no-command"]),
        (
            "$ dd bs=4M if=a of=/dev/sdb status=progress\n$ dd bs=4M if=/dev/sdb of=c status=progress\n"
            f"900000000 bytes (900 MB, 858 MiB) copied, 3.6 s, 250 MB/s\n{RECORDS}{GNU}",
            {6},
            ["progress"],
        ),
    ],
)
def test_lines_of_values_and_codes_of_doubts(text: str, lines: set[int], codes: list[str]) -> None:
    values, doubts = read(PARSER, text)
    assert {v.line for v in values} == lines
    assert [d.code for d in doubts] == codes


@pytest.mark.parametrize(
    ("job", "metric", "command"),
    [
        ("[1]+  Done                    dd if=/dev/sr0 of=b.iso", "write", "dd if=/dev/sr0 of=b.iso"),
        (
            "[1]+ \u0417\u0430\u0432\u0435\u0440\u0448\u0451\u043d ionice -c 3 dd if=/dev/sr0 of=b.iso",
            "write",
            "ionice -c 3 dd if=/dev/sr0 of=b.iso",
        ),
        ("[1]  + 2345 done       dd if=/dev/sr0 of=/dev/null", "read", "dd if=/dev/sr0 of=/dev/null"),
        ("[1]-  Done    dd if=a of=b\n[2]+  Done    dd if=b of=/dev/null", "transfer", None),
        ("$ dd if=a of=b\n[1]+  Done    dd if=b of=/dev/null", "transfer", None),
    ],
)
def test_job_messages_of_the_shell_name_the_command(job: str, metric: str, command: str | None) -> None:
    values, _ = read(PARSER, f"u@h:~$ jobs\nu@h:~$ {RECORDS}{GNU}\n\n{job}\n")
    assert {v.metric for v in values} == {f"{metric}.elapsed", f"{metric}.throughput"}
    assert {v.params.get("command") for v in values} == {command}


@pytest.mark.parametrize(
    ("command", "size"),
    [
        ("Write it with `dd if=a of=/dev/sdb bs=512k`.", 524288),
        ("$ dd if=a of=/dev/sdb bs=$((1024*1024)) count=1024", 1048576),
        ("$ dd if=a of=/dev/sdb bs=$[512*1024]", 524288),
        ("$ dd if=a of=/dev/sdb bs=$((1024*N))", None),
    ],
)
def test_operands_in_inline_code_and_products_of_the_shell(command: str, size: int | None) -> None:
    values, _ = read(PARSER, f"{command}\n\n{RECORDS}{GNU}")
    assert {(v.params.get("path"), v.params.get("block_size")) for v in values} == {("/dev/sdb", size)}


@pytest.mark.parametrize(
    ("before", "sizes"),
    [
        ("", [512, 1024]),
        ("$ for bs in 512 1k; do dd if=a of=/dev/null bs=$bs; done\n", [512, 1024]),
        ("$ dd if=a of=/dev/null bs=4k\n", [4096, 4096]),
    ],
)
def test_labels_give_the_block_size(before: str, sizes: list[int]) -> None:
    values, _ = read(PARSER, f"{before}ad0 bs 512: {GNU}\nad0 bs=1k {GNU}\n")
    assert [v.params["block_size"] for v in values[::2]] == sizes


def test_labels_give_the_direction() -> None:
    values, _ = read(PARSER, f"W: {GNU}\nR: {GNU}")
    assert [v.metric for v in values] == ["write.elapsed", "write.throughput", "read.elapsed", "read.throughput"]


def test_both_ends_of_a_pipe_are_distinguished() -> None:
    values, _ = read(PARSER, f"$ dd if=f bs=45M | pv | dd of=/dev/null\n{GNU}\n{GNU}")
    assert [v.params["part"] for v in values] == ["pipe end 1", "pipe end 1", "pipe end 2", "pipe end 2"]


@pytest.mark.parametrize(
    "line",
    [
        "0.0u 0.2s 0:00.57 47.3% 0+0k 0+160120io 0pf+0w",
        "mmcblk0: mmc0:59b4 USDU1 28.3 GiB",
        "sent 43 bytes  received 528 bytes  1,142.00 bytes/sec",
        " Timing cached reads:   3012 MB in  2.00 seconds = 1507.62 MB/sec",
    ],
)
def test_other_tools_are_left_alone(line: str) -> None:
    assert read(PARSER, line) == ([], [])


@pytest.mark.parametrize(
    ("line", "raws"),
    [
        ("1*73741824 bytes (1.0GB) copied, 30.542254 seconds, 33.5MB/s", ["30.542254"]),
        ("53 6870912 bytes (512.0MB) copied, 6.776327 seconds, 75.6MB/s", ["6.776327"]),
        ("7969177600 bytes (8,0 GB, 7,4 GiB) copied, ****,07 s, 3,8 MB/s", []),
        ("7969177600 bytes (8,0 GB, 7,4 GiB) copied, 2074,07 s, 3,8 MB/s", ["2074,07", "3,8"]),
    ],
)
def test_only_undamaged_figures_of_a_summary_are_taken(line: str, raws: list[str]) -> None:
    values, doubts = read(PARSER, "$ dd if=/dev/zero of=f bs=1M\n1+0 records in\n1+0 records out\n" + line)
    assert [v.raw for v in values] == raws
    assert len(raws) == 2 or ("file_size" not in [key for v in values for key in v.params] and doubts)


@pytest.mark.parametrize(
    ("command", "metric"),
    [("dd if=/dev/z\ufffd\ufffd\ufffd\ufffd bs=1k", "transfer"), ("dd if=/dev/zero of=/x/\ufffdf bs=1k", "write")],
)
def test_damage_in_a_command_hides_the_direction_where_an_operand_is_lost(command: str, metric: str) -> None:
    summary = "1024000 bytes (1.0 MB) copied, 0.5 s, 2.0 MB/s"
    values, _ = read(PARSER, f"$ {command}\n1000+0 records in\n1000+0 records out\n{summary}")
    assert {v.metric for v in values} == {f"{metric}.elapsed", f"{metric}.throughput"}
    assert all("path" not in v.params for v in values)


def test_progress_before_a_damaged_count_is_no_result() -> None:
    values, _ = read(
        PARSER,
        "7968129024 bytes (8,0 GB, 7,4 GiB) copied, 2073,05 s, 3,8 MB/s\n****+0 records in\n"
        "7600+0 records out\n7969177600 bytes (8,0 GB, 7,4 GiB) copied, 2074,07 s, 3,8 MB/s",
    )
    assert {v.line for v in values} == {4}


@pytest.mark.parametrize(
    ("line", "operation"),
    [
        ("Testing write speeds. Test: 1.", "write"),
        ("Running sequential read test (2/3)", "read"),
        ("Measuring disk write performance:", "write"),
        ("Running read tests of the write path", "transfer"),
        ("Testing read-only mode of the server", "transfer"),
    ],
)
def test_messages_of_a_script_give_the_direction(line: str, operation: str) -> None:
    values, _ = read(PARSER, f"{line}\n\n2048+0 records in\n2048+0 records out\n2147483648 bytes (2 GB) copied, 6.5 s, 330 MB/s\n")
    assert {value.metric.split(".")[0] for value in values} == {operation}


@pytest.mark.parametrize(("octets", "agrees"), [(64, True), (640, False)])
def test_a_printed_rate_of_zero_is_below_its_digits(octets: int, agrees: bool) -> None:
    values, doubts = read(PARSER, f"$ dd if=/dev/random of=key bs=1\n{octets} bytes ({octets} B) copied, 10.0003 s, 0.0 kB/s")
    assert [v.value for v in values if v.metric == "write.throughput"] == ([pytest.approx(octets / 10.0003)] if agrees else [])
    assert any(doubt.code == "disagree" for doubt in doubts) is not agrees


_OF_2004 = "1073741824 bytes transferred in 42.67 secs (25165824 bytes/sec)"
_RECORDS = "> 1024+0 records in\n> 1024+0 records out\n"


@pytest.mark.parametrize(
    "text",
    [
        _OF_2004,
        f"1024+0 records in\n1024+0 records out\n{_OF_2004}",
        f"{_RECORDS}> {_OF_2004}",
        f"{_RECORDS}> {_OF_2004}".replace("> ", ">> > "),
        f"| 1024+0 records in\n| 1024+0 records out\n| {_OF_2004}",
        f"The box said {_OF_2004}, which is poor.",
        *(  # where mail breaks the line
            f"{_RECORDS}> {_OF_2004[:at]}\n{quote}{_OF_2004[at:].lstrip()}"
            for word in ("bytes", "transferred", "in", "42", "secs", "(", "bytes/sec", "sec)")
            for at in [_OF_2004.index(word)]
            for quote in ("> ", "")
        ),
    ],
)
def test_bytes_transferred_in_mail(text: str) -> None:
    values, doubts = read(PARSER, f"Hello,\n\n{text}\n")
    assert values_by_metric(values) == {"transfer.elapsed": 42.67, "transfer.throughput": 25165824.0}
    assert [doubt.code for doubt in doubts] == ["no-command"]
    assert {value.raw for value in values} == {"42.67", "25165824"}


@pytest.mark.parametrize("at", range(len("4.26588")))
def test_seconds_broken_over_two_lines_are_not_put_together(at: int) -> None:
    begin = GNU.index("4.26588") + at
    values, doubts = read(PARSER, f"{RECORDS}{GNU[:begin]}\n{GNU[begin:]}\n")
    assert [doubt.code for doubt in doubts] == (["no-command"] if at == 0 else ["cut"])
    assert {value.raw for value in values} == ({"4.26588", "252"} if at == 0 else set())


_GERMAN = "1073741824 Bytes (1,1 GB, 1,0 GiB) kopiert, 5,12 s, 210 MB/s"


@pytest.mark.parametrize(
    "records",
    [
        "",
        "1024+0 Datens\u00e4tze ein 1024+0 Datens\u00e4tze aus ",
        "1024+0 Datens\u00e4tze ein, 1024+0 Datens\u00e4tze aus, ",
        "1024+0 Datens\u00e4tze ein / 1024+0 Datens\u00e4tze aus / ",
        "1024+0 Datens\u00e4tze ein1024+0 Datens\u00e4tze aus",
        "1024+0 Datens\u00e4tze aus ",
    ],
)
@pytest.mark.parametrize("between", [None, " ", ": ", " -> ", " | ", "; "])
def test_a_command_and_its_german_output_on_one_line(records: str, between: str | None) -> None:
    command = "dd if=/dev/zero of=/tank/f bs=1M count=1024"
    values, _ = read(PARSER, f"{records}{_GERMAN}" if between is None else f"{command}{between}{records}{_GERMAN}")
    operation = "transfer" if between is None else "write"
    assert values_by_metric(values) == {f"{operation}.elapsed": 5.12, f"{operation}.throughput": 1073741824 / 5.12}
    assert {value.params.get("command") for value in values} == {None if between is None else command}


def test_two_german_outputs_on_one_line() -> None:
    records = "1024+0 Datens\u00e4tze ein 1024+0 Datens\u00e4tze aus"
    second = _GERMAN.replace("5,12 s, 210", "2,56 s, 419")
    text = f"dd if=/dev/zero of=/tank/f bs=1M count=1024 && dd if=/tank/f of=/dev/null bs=1M {records} {_GERMAN} {records} {second}"
    values, _ = read(PARSER, text)
    assert values_by_metric(values) == {
        "write.elapsed": 5.12,
        "write.throughput": 1073741824 / 5.12,
        "read.elapsed": 2.56,
        "read.throughput": 1073741824 / 2.56,
    }
    assert len(read(PARSER, f"{_GERMAN} {second}")[0]) == 4


def test_a_number_above_other_output_is_not_its_bytes() -> None:
    assert not read(PARSER, "1073741824\nbytes transferred in 5.00 secs (3 bytes/sec)\n")[0]


def test_a_command_behind_an_output_is_still_one() -> None:
    values, _ = read(PARSER, f"{_OF_2004} dd if=/dev/zero of=/tank/f bs=1m\n{_OF_2004}\n")
    assert "/tank/f" in values[-1].params["command"]


_SAMPLES = [sample for sample in outputs() if sample.parent == FOLDER / "dd"]


@pytest.mark.parametrize("samples", [*([one] for one in _SAMPLES), _SAMPLES], ids=lambda found: f"{len(found)} {found[0].name}")
def test_summaries_yielded_before_the_end_are_the_same(samples, monkeypatch):
    text, _ = read_text("dd.txt", b"\n".join(one.read_bytes() for one in samples))
    assert text is not None
    at_once = list(map(repr, dd.parse(text)))
    monkeypatch.setattr(dd, "_BATCH", 1)
    assert list(map(repr, dd.parse(text))) == at_once
