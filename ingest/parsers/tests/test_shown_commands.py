"""The command that a text shows above an output of IOR or mdtest that lost its head tells the workload, as far as it reaches."""

from __future__ import annotations

import pytest

from ingest.parsers.ior import ior, mdtest
from ingest.tests.reading import read

_TABLE = """Results:
access    bw(MiB/s)  IOPS
------    ---------  ----
write     34857      35170
"""
_SUMMARY = """SUMMARY rate: (of 1 iterations)
   Operation                      Max            Min           Mean        Std Dev
   ---------                      ---            ---           ----        -------
   File creation     :      40784.448      40784.447      40784.448          0.001
"""
_SIZES = {"transfer_size": 2**20, "block_size": 2**26, "segments": 4}


@pytest.mark.parametrize(
    ("before", "params"),
    (
        ("$ mpirun -np 64 --map-by node ./ior -t 1m -b 64m -s 4 -F\n\n", {**_SIZES, "access": "file-per-process", "processes": 64}),
        (
            "srun -n 8 \\\n  /opt/bin/ior -t 1m -b 64m \\\n  -s 4 | tee log\n",
            {**_SIZES, "access": "single-shared-file", "processes": 8, "command": "/opt/bin/ior -t 1m -b 64m -s 4"},
        ),
        ("`ior -a MPIIO -t 1m -b 64m -s 4 -i 1 -e` gave\n", {**_SIZES, "api": "MPIIO", "repetitions": 1, "fsync": "on"}),
        ("$ ior -t 1m -b 64m -s 4\n\n### Example of the output\n", _SIZES),
    ),
)
def test_the_command_above_a_table_of_ior(before, params):
    values, doubts = read(ior.PARSER, before + _TABLE)
    assert doubts == []
    assert [value.raw for value in values] == ["34857", "35170"]
    assert all(params.items() <= value.params.items() for value in values)


@pytest.mark.parametrize("between", ("$ cat slurm-212.out\n", "[me@node ~]$ ./other\n", "## Many files\n"))
def test_a_prompt_or_a_heading_ends_a_command_of_ior(between):
    values, _ = read(ior.PARSER, f"$ ior -t 1m -b 64m -F\n{between}{_TABLE}")
    assert [(value.raw, value.params) for value in values] == [("34857", {}), ("35170", {})]


def test_each_command_of_ior_has_its_own_run():
    values, _ = read(ior.PARSER, f"$ ior -t 1m -F\n{_TABLE}\n$ ior -t 2m\n{_TABLE}")
    assert [(value.line, value.params["transfer_size"], value.params["access"]) for value in values] == [
        (5, 2**20, "file-per-process"),
        (5, 2**20, "file-per-process"),
        (11, 2**21, "single-shared-file"),
        (11, 2**21, "single-shared-file"),
    ]
    assert len({value.run for value in values}) == 2


def test_a_log_of_ior_with_its_head_is_not_told_by_a_command_within():
    head = "IOR-4.0.0: MPI Coordinated Test of Parallel I/O\nCommand line        : ior -F\nOptions:\nxfersize            : 1 MiB\n"
    values, _ = read(ior.PARSER, f"$ ior -t 4m -b 8m\n{head}$ ior -t 2m -b 2m\n{_TABLE}")
    assert {(value.tool_version, value.params["transfer_size"], value.params["command"]) for value in values} == {
        ("4.0.0", 2**20, "ior -F")
    }


@pytest.mark.parametrize(
    ("before", "params"),
    (
        (
            "mpiexec -f hosts -np 1088 mdtest -v -z 2 -I 10 -u -d /mnt/a\n\n#### Test Output\n",
            {"processes": 1088, "levels": 2, "files_per_dir": 10, "access": "directory per task"},
        ),
        ("$ mdtest -z 2 -d /mnt/a\n$ cat log\n", {}),
        (
            f"$ mdtest -z 9 -d /mnt/a\n{_SUMMARY}\n$ mdtest -z 2 -w 4096 -d /mnt/a\n",
            {"levels": 2, "file_size": 4096, "access": "shared directory"},
        ),
    ),
)
def test_the_command_above_a_summary_of_mdtest(before, params):
    values, doubts = read(mdtest.PARSER, before + _SUMMARY)
    assert doubts == []
    told = {key: value for key, value in values[-1].params.items() if key not in ("command", "iterations")}
    assert told == params
