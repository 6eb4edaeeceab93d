"""Numbered outputs take the labels of a log beside them, where counts or a script prove it."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.configuration.numbered_outputs import OFFERED, TAKEN, NumberedOutputs, find_series
from ingest.detect.findings import FileFindings
from ingest.detect.sweep_scripts import Sweep
from ingest.records import Clue, Value, Warning
from ingest.tests.whole import read_measurements, read_upload

STEPS = ("off", "lz4", "gzip-6", "gzip-9")
ROW = (
    "1.97,1.97,vm,1,1400000000,8G,,600,99,{rate},20,90000,15,2000,98,210000,18,300.5,9,16,,,,,4000,20,+++++,+++,5000,20,4100,20,"
    "+++++,+++,4200,19,14000us,90000us,80000us,9000us,70000us,60000us,5000us,300us,400us,300us,10us,500us\n"
)
DD = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB) copied, {}.5 s, 268 MB/s\n"
SCRIPT = (
    'for c in off lz4; do\n  n=$((n+1))\n  echo "compression=$c" >> bench.csv\n  dd if=/dev/zero of=/tank/f 2> out$n.txt\ndone\n'
)


def labels(*values: str, rows: int = 1) -> str:
    return "".join(f"compression={value} dedup=off\n" + ROW.format(rate=n + 100_000) * rows for n, value in enumerate(values))


def outputs(*numbers: int | str, name: str = "out{}.txt") -> dict[str, str]:
    return {name.format(number): DD.format(n) for n, number in enumerate(numbers, 2)}


def compressions(files: dict[str, str]) -> dict[str, object]:
    """File -> its compression, of the files without labels of their own."""
    return {m.file: m.config.get("pool.compression") for m in read_measurements(files) if m.tool == "dd"}


def warnings(files: dict[str, str]) -> list[Warning]:
    return [record for record in read_upload(files) if isinstance(record, Warning) and record.code in (TAKEN, OFFERED, "conflict")]


@pytest.mark.parametrize(
    "files",
    [
        {"bench.csv": labels(*STEPS)} | outputs(1, 2, 3, 4),
        {"bench.csv": labels(*STEPS, rows=3)} | outputs(0, 1, 2, 3),
        {"bench.csv": labels(*STEPS)} | outputs("01", "02", "03", "04"),
        {"a/bench.csv": labels(*STEPS)} | outputs(1, 2, 3, 4, name="a/4k-out{}.v2.txt"),
        {"bench.csv": labels(*STEPS), "same.csv": labels(*STEPS, rows=2)} | outputs(1, 2, 3, 4),
        {"bench.csv": labels(*STEPS), "short.csv": labels("on", "off", "on")} | outputs(1, 2, 3, 4),
        {"bench.csv": labels(*STEPS)} | outputs(1, 2, 3) | {"out4.txt": "dd: failed to open '/tank/f'\n"},
    ],
)
def test_equal_counts_prove_it(files):
    taken = list(compressions(files).values())
    assert taken == list(STEPS[: len(taken)]) and len(taken) > 2
    (warning,) = warnings(files)
    assert (warning.code, warning.line) == (
        TAKEN,
        1,
    ) and "output N was given label N of bench.csv, because there are 4 of each" in warning.message


def test_the_source_is_the_line_of_the_label():
    measured = [m for m in read_measurements({"bench.csv": labels(*STEPS)} | outputs(1, 2, 3, 4)) if m.tool == "dd"]
    assert [m.config_from for m in measured] == [
        dict.fromkeys(("pool.compression", "pool.dedup"), f"bench.csv:{n}") for n in (1, 3, 5, 7)
    ]


def test_more_than_nine_are_in_order_of_their_numbers():
    values = [f"gzip-{n % 9 + 1}" for n in range(12)]
    files = {"bench.csv": labels(*values)} | outputs(*range(1, 13))
    assert compressions(files) == {f"out{n}.txt": f"gzip-{(n - 1) % 9 + 1}" for n in range(1, 13)}
    assert warnings(files)[0].message.startswith("out1.txt ... out12.txt: ")


def test_the_output_itself_and_its_name_are_nearer_and_the_folder_is_farther():
    files = {"bench.csv": labels("off", "lz4", "gzip-6")} | outputs(1, 2)
    files["out3.txt"] = (
        "root@vm:~# zfs set compression=zstd-3 tank\nroot@vm:~# dd if=/dev/zero of=/tank/f bs=1M count=1024\n" + DD.format(9)
    )
    files["zfs-get.txt"] = "NAME  PROPERTY     VALUE  SOURCE\ntank  compression  gzip-9 local\ntank  recordsize   16K    local\n"
    assert compressions(files) == {"out1.txt": "off", "out2.txt": "lz4", "out3.txt": "zstd-3"}
    assert {m.config["pool.recordsize"] for m in read_measurements(files) if m.tool == "dd"} == {16384}


@pytest.mark.parametrize(
    "files",
    [
        {"bench.csv": labels("off", "lz4")} | outputs(1, 2),
        {"bench.csv": labels("off", "lz4"), "other.csv": labels("on", "off")} | outputs(1, 2),
        {"bench.csv": ROW.format(rate=99_000) + labels("off", "lz4", rows=0)} | outputs(1, 2),
        {"bench.csv": "compression=off\ncompression=lz4\n"} | outputs(1, 2),  # no results in the log
    ],
)
@pytest.mark.parametrize("script", ["sweep.sh", "above.sh"])
def test_a_script_proves_it(files, script):
    files = {f"a/{path}": content for path, content in files.items()}
    files["above.sh" if script == "above.sh" else "a/sweep.sh"] = SCRIPT
    assert compressions(files) == {"a/out1.txt": "off", "a/out2.txt": "lz4"}
    (warning,) = warnings(files)
    assert (warning.code, warning.file) == (TAKEN, "a/bench.csv") and "because one script writes both" in warning.message


def test_a_script_elsewhere_or_for_other_files_proves_nothing():
    files = {f"a/{path}": content for path, content in ({"bench.csv": labels("off", "lz4")} | outputs(1, 2)).items()}
    for script in (
        {"b/sweep.sh": SCRIPT},
        {"a/sweep.sh": SCRIPT.replace("bench", "trial")},
        {"a/sweep.sh": SCRIPT.replace("out$", "run$")},
    ):
        assert set(compressions(files | script).values()) == {None}


@pytest.mark.parametrize(
    ("files", "messages"),
    [
        ({"bench.csv": labels(*STEPS)} | outputs(1, 2, 3), ["out1.txt ... out3.txt may match {}: 3 outputs and 4 labels."]),
        (
            {"bench.csv": labels("off", "lz4", "on")} | outputs(*range(1, 5)),
            ["out1.txt ... out4.txt may match {}: 4 outputs and 3 labels."],
        ),
        ({"bench.csv": labels(*STEPS)} | outputs(1, 2, 4), ["out1.txt ... out4.txt may match {}: 3 outputs and 4 labels."]),
        ({"bench.csv": labels("off", "lz4")} | outputs(1, 2), ["out1.txt ... out2.txt may match {}: 2 outputs and 2 labels."]),
        (
            {"bench.csv": ROW.format(rate=99_000) + labels(*STEPS)} | outputs(1, 2, 3, 4),
            ["out1.txt ... out4.txt may match {}: 4 outputs and 4 labels."],
        ),
        (
            {"bench.csv": labels(*STEPS), "later.csv": labels(*STEPS[::-1])} | outputs(1, 2, 3, 4),
            [
                f"out1.txt ... out4.txt may match the labels of {log}, in order: 4 outputs and 4 labels, but {other} has as many."
                for log, other in (("bench.csv", "later.csv"), ("later.csv", "bench.csv"))
            ],
        ),
    ],
)
def test_what_is_only_likely_is_offered(files, messages):
    assert set(compressions(files).values()) == {None}
    found = warnings(files)
    assert {warning.code for warning in found} == {OFFERED}
    assert [warning.message for warning in found] == [message.format("the labels of bench.csv, in order") for message in messages]


@pytest.mark.parametrize(
    "files",
    [
        {"README.md": "## gzip-1\n\n## gzip-2\n\n## gzip-3\n"} | outputs(1, 2, 3),
        {"README": labels("off", "lz4", "on")} | outputs(1, 2, 3),
        {"a/bench.csv": labels("off", "lz4", "on")} | outputs(1, 2, 3, name="b/out{}.txt"),
        {"bench.csv": labels("off", "lz4", "on")} | outputs(4, 8, 16),
        {"bench.csv": labels("off", "lz4", "on")} | outputs(2019, 2020, 2021),
        {"bench.csv": labels("off", "lz4", "on")} | outputs("1-1", "1-2", "2-1", "2-2"),
        {"bench.csv": labels("off", "lz4", "on")} | outputs(1, "01", 2, 3),
        {"bench.csv": labels("off", "lz4", "on")} | dict.fromkeys(("dmesg1", "dmesg2", "dmesg3"), "no benchmark\n"),
        {"bench.csv": labels("off", "lz4", "on")} | {f"run{n}.csv": labels("off", "lz4") for n in (1, 2, 3)},
        {"bench1.csv": labels("off", "lz4"), "bench2.csv": labels("on", "off")},
        {"bench.csv": labels("off")} | outputs(1),
        {f"bench{n}x{n}.csv": labels("off", "lz4", "on") for n in range(9)} | outputs(1, 2, 3),
        {"bench.csv": labels("off", "lz4", "on")} | outputs(*range(1, 30)),
    ],
)
def test_what_is_unrelated_is_left_alone(files):
    assert not [warning for warning in warnings(files) if warning.code != "conflict"]
    assert set(compressions(files).values()) <= {None}


def a_value(line: int) -> Value:
    return Value(line, "dd", "write.throughput", "x", 1.0, "B/s", "1", "B/s", line)


@given(st.integers(3, 30), st.integers(0, 1), st.booleans(), st.booleans(), st.randoms(use_true_random=False))
def test_any_order_of_the_files_gives_the_same_pairs(count: int, first: int, is_padded: bool, has_script: bool, random: Random):
    clues = [Clue(2 * n + 1, "pool.compression", f"gzip-{n}", "", "label", "labels") for n in range(count)]
    paths = [f"a/out{n:03d}.xls" if is_padded else f"a/out{n}.xls" for n in range(first, first + count)]
    findings = [FileFindings(path, "", 0, values=[a_value(1)]) for path in paths]
    findings.append(FileFindings("a/bench.csv", "", 0, values=[a_value(clue.line + 1) for clue in clues], clues=clues))
    findings.append(FileFindings("run.sh", "", 0, sweeps=[Sweep("bench.csv", "out", ".xls")] if has_script else []))
    random.shuffle(findings)
    numbered = NumberedOutputs(findings, {"a/bench.csv": {"pool.compression": clues}})
    assert [numbered.clues_of(path)["pool.compression"].clue for path in paths] == clues
    assert [doubt.code for _, doubt in numbered.doubts] == [TAKEN]
    random.shuffle(paths)
    assert [series.title for series in find_series(paths)] == [
        f"{min(paths, key=len_and_name)[2:]} ... {max(paths, key=len_and_name)[2:]}"
    ]


def len_and_name(path: str) -> tuple[int, str]:
    return len(path), path
