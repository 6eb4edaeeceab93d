"""The options of an output whose command stands in a script or job file beside it, or silence where that is not certain."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

import ingest
from ingest import spill
from ingest.records import Measurement, Warning

DD = "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, {seconds} s, 64.1 MB/s\n"
CSV = (
    "1.98,2.00a,vm,1,1795678382,4G,,8192,5,,,{rate},9,294087,15,,,314087,17,9190,30,2,,,,,1047,5,2047,6,3047,7,4047,8,5047,9,6047,9"
    ",,32481us,44405us,,32659us,60590us,124ms,27920us,38127us,18078us,7us,20081us\n"
)
FIO = """seqwrite: (g=0): rw=write, bs=(R) 1024KiB-1024KiB, (W) 1024KiB-1024KiB, (T) 1024KiB-1024KiB, ioengine=psync, iodepth=1
fio-3.33
Starting 1 process

seqwrite: (groupid=0, jobs=1): err= 0: pid=21202: Thu Nov 26 07:48:40 2026
  write: IOPS={iops}, BW=217MiB/s (227MB/s)(100MiB/461msec); 0 zone resets
    clat (usec): min=132, max=40622, avg=2558.93, stdev=7067.47

Run status group 0 (all jobs):
  WRITE: bw=217MiB/s (227MB/s), 217MiB/s-217MiB/s (227MB/s-227MB/s), io=100MiB (105MB), run=461-461msec
"""
_REPORT = """Version 2.00a       ------Sequential Output------ --Sequential Input- --Random-
                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--
Name:Size etc        /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP
vm               4G            {rate}   9  287m  15            306m  17  9190  30
Latency                       32481us   44405us             32659us   60590us

"""
_DD = DD.format(seconds="1.04735")
_CSV = CSV.format(rate=135406)
_FIO = FIO.format(iops=216)
_WRITE = "dd if=/dev/zero of=/mnt/x/f bs=1M count=64 conv=fdatasync"
_JOB = "fio --name=seqwrite --rw=write --bs=1M --size=100M"
_MADE = {"block_size": 1048576, "fsync": "fdatasync"}

SILENCE = None
CASES: dict[str, tuple[Mapping[str, str], Mapping[str, Mapping[str, object] | None]]] = {
    "one command that prints": ({"run.sh": _WRITE, "out.txt": _DD}, {"out.txt": _MADE}),
    "run at another priority": (
        {"run.sh": f"ionice -c3 {_WRITE}", "out.txt": _DD},
        {"out.txt": {**_MADE, "dd.under": "ionice -c3"}},
    ),
    "redirected": ({"run.sh": f"{_WRITE} 2> dd1.txt", "dd1.txt": _DD}, {"dd1.txt": _MADE}),
    "redirected to another file": ({"run.sh": f"{_WRITE} 2> dd1.txt", "dd2.txt": _DD}, {"dd2.txt": SILENCE}),
    "both outputs of a program": ({"run.sh": f"{_WRITE} > dd1.txt 2>&1", "dd1.txt": _DD}, {"dd1.txt": _MADE}),
    "tee": ({"run.sh": f"{_WRITE} 2>&1 | tee -a dd1.txt", "dd1.txt": _DD}, {"dd1.txt": _MADE}),
    "a loop whose end is redirected": (
        {"run.sh": f"for i in 1 2; do\n {_WRITE}\ndone > all.log 2>&1", "all.log": _DD + DD.format(seconds="1.5")},
        {"all.log": _MADE},
    ),
    "all that the script prints": ({"run.sh": f"exec > >(tee log.txt) 2>&1\n{_WRITE}", "log.txt": _DD}, {"log.txt": _MADE}),
    "a comment mentions the tool": ({"run.sh": f"# {_WRITE} > out.txt\necho dd", "out.txt": _DD}, {"out.txt": SILENCE}),
    "the tool is installed, not run": ({"run.sh": "apt install bonnie++ fio\nwhich bonnie++", "b.csv": _CSV}, {"b.csv": SILENCE}),
    "nested loops name the files": (
        {
            "run.sh": "for fs in ext4 xfs; do for i in 1 2; do\nbonnie++ -d /m/$fs -s 4G -f -n 2 -b > out_${fs}_$i.csv; done; done",
            "out_ext4_1.csv": _CSV,
            "out_xfs_2.csv": CSV.format(rate=235406),
        },
        {"out_ext4_1.csv": {"bonnie++.-b": "1"}, "out_xfs_2.csv": {"bonnie++.-b": "1"}},
    ),
    "a loop over options": (
        {
            "run.sh": 'for opt in "" -b; do bonnie++ -d /mnt -s 4G -f -n 2 $opt -q > out$opt.csv; done',
            "out.csv": _CSV,
            "out-b.csv": CSV.format(rate=35406),
        },
        {"out.csv": {"bonnie++.-b": None}, "out-b.csv": {"bonnie++.-b": "1"}},
    ),
    "seq and braces": (
        {"run.sh": f"for i in $(seq 1 3); do\nfor j in {{1..2}}; do {_WRITE} 2> d$i-$j; done\ndone", "d3-2": _DD},
        {"d3-2": _MADE},
    ),
    "a counter in the name": (
        {"run.sh": f"n=0\nfor fs in a b c; do n=$((n+1)); {_WRITE} 2> run$n.txt; done", "run3.txt": _DD},
        {"run3.txt": _MADE},
    ),
    "simple assignments": (
        {"run.sh": "SIZE=4G\nOPTS='-f -n 2 -b'\nbonnie++ -d /mnt -s $SIZE $OPTS -q > b.csv", "b.csv": _CSV},
        {"b.csv": {"bonnie++.-b": "1"}},
    ),
    "an option that the caller gives": (
        {"run.sh": "bonnie++ -d $1 -s 4G -f -n 2 $2 -q > b.csv", "b.csv": _CSV},
        {"b.csv": SILENCE},
    ),
    "a path that the caller gives": (
        {"run.sh": "bonnie++ -d $1 -s 4G -f -n 2 -b -q > bonnie_$2.csv", "bonnie_xfs.csv": _CSV},
        {"bonnie_xfs.csv": {"bonnie++.-b": "1"}},
    ),
    "a function": (
        {
            "run.sh": "bench() {\n  dd if=/dev/zero of=$1/f bs=$2 count=64 conv=fdatasync 2> $3\n}\nbench /mnt/a 1M a.txt",
            "a.txt": _DD,
        },
        {"a.txt": _MADE},
    ),
    "a size that the output contradicts": (
        {"run.sh": "bonnie++ -d /mnt -s 8G -f -n 2 -b -q", "b.csv": _CSV},
        {"b.csv": SILENCE},
    ),
    "two versions of a script that differ": (
        {"bench.sh": "bonnie++ -d /mnt -s 4G -f -n 2 -q", "bench_v2.sh": "bonnie++ -d /mnt -s 4G -f -n 2 -b -q", "b.csv": _CSV},
        {"b.csv": SILENCE},
    ),
    "two versions that agree in what counts": (
        {"bench.sh": "bonnie++ -d /a -s 4G -f -n 2 -b", "bench_v2.sh": "bonnie++ -d /b -s 4G -f -n 2 -b -q -m box", "b.csv": _CSV},
        {"b.csv": {"bonnie++.-b": "1"}},
    ),
    "two versions, of which one names the file": (
        {
            "bench.sh": "bonnie++ -d /mnt -s 4G -f -n 2 -q",
            "bench_v2.sh": "bonnie++ -d /mnt -s 4G -f -n 2 -b > b.csv",
            "b.csv": _CSV,
        },
        {"b.csv": {"bonnie++.-b": "1"}},
    ),
    "several runs in the script's order": (
        {
            "run.sh": "for o in '' -b -p2; do bonnie++ -d /mnt -s 4G -f -n 2 $o -q; done",
            "all.csv": _CSV + CSV.format(rate=35406) + CSV.format(rate=5406),
        },
        {"all.csv": {"bonnie++.-b": {None, "1"}}},
    ),
    "texts beside CSV lines, in the script's order": (
        {
            "run.sh": "for o in '' -b; do bonnie++ -d /mnt -s 4G -f -n 2 $o; done",
            "all.txt": _REPORT.format(rate="132m") + _CSV + _REPORT.format(rate=" 34m") + CSV.format(rate=35406),
        },
        {"all.txt": {"bonnie++.-b": {None, "1"}}},
    ),
    "fewer runs than commands": (
        {"run.sh": "for o in '' -b -p2; do bonnie++ -d /mnt -s 4G -f -n 2 $o -q; done", "all.csv": _CSV + CSV.format(rate=35406)},
        {"all.csv": SILENCE},
    ),
    "options of fio that its text does not show": (
        {"run.sh": f"{_JOB} --zero_buffers --output=f.txt", "f.txt": _FIO},
        {"f.txt": {"file_size": 104857600, "contents": "zeros"}},
    ),
    "the header of fio contradicts": ({"run.sh": _JOB.replace("1M", "4k"), "f.txt": _FIO}, {"f.txt": SILENCE}),
    "a job file": (
        {
            "run.sh": "SIZE=100M fio write.fio > f.txt",
            "write.fio": "[seqwrite]\nrw=write\nbs=1M\nsize=${SIZE}\nnrfiles=4\n",
            "f.txt": _FIO,
        },
        {"f.txt": {"file_size": 104857600, "fio.nrfiles": "4"}},
    ),
    "a job file without a script": (
        {"write.fio": "[global]\nbs=1M\n[seqwrite]\nrw=write\nsize=100M\n[other]\nrw=read\nsize=1G\n", "f.txt": _FIO},
        {"f.txt": {"file_size": 104857600}},
    ),
    "a makefile": (
        {"Makefile": "SIZE = 4G\nbench:\n\t@bonnie++ -d /mnt -s $(SIZE) -f -n 2 -b -q > b.csv\n", "b.csv": _CSV},
        {"b.csv": {"bonnie++.-b": "1"}},
    ),
    "a block of a document": (
        {"README.md": "How it was run:\n\n```sh\n$ bonnie++ -d /mnt -s 4G -f -n 2 -b -q > b.csv\n```\n", "b.csv": _CSV},
        {"b.csv": {"bonnie++.-b": "1"}},
    ),
    "branches of a known case": (
        {
            "run.sh": 'for k in a b; do case "$k" in a) O=;; b) O=-b;; esac\nbonnie++ -d /mnt -s 4G -f -n 2 $O -q > $k.csv; done',
            "a.csv": _CSV,
            "b.csv": CSV.format(rate=35406),
        },
        {"a.csv": {"bonnie++.-b": None}, "b.csv": {"bonnie++.-b": "1"}},
    ),
    "a branch that depends on the machine": (
        {"run.sh": "if [ -e /dev/sdb ]; then O=-b; else O=; fi\nbonnie++ -d /mnt -s 4G -f -n 2 $O -q > b.csv", "b.csv": _CSV},
        {"b.csv": SILENCE},
    ),
    "a script of another folder": (
        {"x/a/run.sh": "bonnie++ -d /mnt -s 4G -f -n 2 -b -q", "b/c/b.csv": _CSV},
        {"b/c/b.csv": SILENCE},
    ),
    "the nearest of two scripts": (
        {"a/run.sh": "bonnie++ -d /m -s 4G -f -n 2 -b", "b/run.sh": "bonnie++ -d /m -s 4G -f -n 2", "a/b.csv": _CSV},
        {"a/b.csv": {"bonnie++.-b": "1"}},
    ),
    "wrappers": (
        {"run.sh": "sudo nice -n -20 numactl -N 0 bonnie++ -d /m -s 4G -f -n 2 -b -q > b.csv", "b.csv": _CSV},
        {"b.csv": {"bonnie++.-b": "1"}},
    ),
    "a shell within": (
        {"run.sh": "ssh box 'bonnie++ -d /m -s 4G -f -n 2 -b -q' > b.csv", "b.csv": _CSV},
        {"b.csv": {"bonnie++.-b": "1"}},
    ),
}


@pytest.fixture(autouse=True, params=[spill.MAX_IN_MEMORY, 0], ids=["in memory", "put aside"])
def _memory(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The values of an upload are given the same where memory does not hold them."""
    monkeypatch.setattr(spill, "MAX_IN_MEMORY", request.param)


def _read(folder: Path, files: Mapping[str, str]) -> list[object]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text if text.endswith("\n") else f"{text}\n")
    return list(ingest.read([folder]))


@pytest.mark.parametrize("case", CASES)
def test_options_of_scripts(tmp_path: Path, case: str) -> None:
    files, expected = CASES[case]
    records = _read(tmp_path, files)
    for path, wanted in expected.items():
        values = [one for one in records if isinstance(one, Measurement) and one.file == path]
        assert values, "the output is read"
        if wanted is SILENCE:
            assert not any(one.params_from for one in values)
            continue
        for name, value in wanted.items():
            found = {one.params.get(name) for one in values}
            assert found == (value if isinstance(value, set) else {value})
        scripts = {place.rpartition(":")[0] for one in values for place in one.params_from.values()}
        assert scripts and scripts <= files.keys() - expected.keys()


def test_what_an_output_shows_stays(tmp_path: Path) -> None:
    records = _read(tmp_path, {"run.sh": "bonnie++ -d /mnt -s 4G -f -n 2 -c 1 -b -q", "b.csv": _CSV})
    values = [one for one in records if isinstance(one, Measurement)]
    assert all(one.params_from.keys() == {"bonnie++.-b", "command"} for one in values)
    assert {one.params["seekers"] for one in values} == {5}


def test_unlike_commands_are_named(tmp_path: Path) -> None:
    files = {"a.sh": "bonnie++ -d /m -s 4G -f -n 2", "b.sh": "bonnie++ -d /m -s 4G -f -n 2 -b", "b.csv": _CSV}
    found = [one for one in _read(tmp_path, files) if isinstance(one, Warning) and one.code == "which-command"]
    assert [(one.file, one.line) for one in found] == [("b.csv", 1)]
    assert "a.sh:1 (without them)" in found[0].message and "b.sh:1 (bonnie++.-b 1)" in found[0].message


def test_a_dd_is_of_the_direction_of_its_command(tmp_path: Path) -> None:
    records = _read(tmp_path, {"run.sh": "dd if=/mnt/f of=/dev/null bs=1M 2> dd.txt", "dd.txt": _DD})
    assert {one.metric for one in records if isinstance(one, Measurement)} == {"read.throughput", "read.elapsed"}


@pytest.mark.parametrize(
    "script", ["for i in 1 2; do", "if true; then dd if=a of=b; fi }", "f() { f; }; f", "case x in", "))((", "`", "$((1/0))"]
)
def test_odd_scripts_are_no_error(tmp_path: Path, script: str) -> None:
    assert _read(tmp_path, {"run.sh": f"{script}\n{_WRITE}\n", "out.txt": _DD})


def test_parameters_of_a_command_at_a_prompt_name_its_line(tmp_path: Path) -> None:
    text = f"ann@box:~$ {_WRITE}\n{_DD}ann@box:~$ dd if=/mnt/x/f of=/dev/null bs=1M\n{_DD}"
    values = [one for one in _read(tmp_path, {"log.txt": text}) if isinstance(one, Measurement)]
    places = {(one.line, name): place for one in values for name, place in one.params_from.items()}
    assert {places[4, name] for name in ("block_size", "fsync", "contents", "path", "command")} == {"log.txt:1"}
    assert {places[8, name] for name in ("block_size", "path", "command")} == {"log.txt:5"}
    assert not any(name == "file_size" for _, name in places)


@pytest.mark.parametrize(("script", "is_doubted"), [(f"{_WRITE} 2> dd1.txt", False), (f"{_WRITE} 2> dd2.txt", True)])
def test_a_direction_that_the_script_shows_is_not_asked_for(tmp_path, script, is_doubted):
    (tmp_path / "run.sh").write_text(script)
    (tmp_path / "dd1.txt").write_text(_DD)
    records = list(ingest.read([tmp_path]))
    assert {record.metric.startswith("transfer.") for record in records if isinstance(record, Measurement)} == {is_doubted}
    assert ("no-command" in {record.code for record in records if isinstance(record, Warning)}) == is_doubted


@pytest.mark.parametrize(
    ("outputs", "paths", "shown"),
    [
        (2, {"/mnt/ext4/f", "/mnt/xfs/f"}, {"of=/mnt/ext4/f", "of=/mnt/xfs/f"}),
        (4, {"/mnt/ext4/f", "/mnt/xfs/f"}, {"of=/mnt/ext4/f", "of=/mnt/xfs/f"}),
        (3, {None}, {"..."}),  # one failed, or was left out
    ],
)
def test_of_a_loop_over_folders_each_run_has_its_own_or_none(tmp_path, outputs, paths, shown):
    (tmp_path / "run.sh").write_text("for fs in ext4 xfs; do dd if=/dev/zero of=/mnt/$fs/f bs=1M count=64; done")
    (tmp_path / "out.txt").write_text("".join(DD.format(seconds=f"1.0473{number}") for number in range(outputs)))
    found = [
        record for record in ingest.read([tmp_path]) if isinstance(record, Measurement) and record.metric == "write.throughput"
    ]
    assert len(found) == outputs and {record.params.get("path") for record in found} == paths
    assert {word for record in found for word in str(record.params["command"]).split() if word[:3] in ("of=", "...")} == shown
