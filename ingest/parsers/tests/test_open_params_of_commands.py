"""Whatever option of a manual a command line has makes another workload, unless it is known to have no effect.

`options_of_manuals.toml` has the options of each tool as its manual lists them.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest import parsers
from ingest.keys import is_identity
from ingest.options import TOOLS, read_command
from ingest.plugin_api import Parser, find_plugins
from ingest.tests.reading import read

_PARSERS = {parser.name: parser for parser in find_plugins(parsers.__name__, Parser)}
_MANUALS = {
    tool: {kind: lists[kind].strip().splitlines() for kind in ("counts", "without_effect")}
    for tool, lists in tomllib.loads((Path(__file__).parent / "options_of_manuals.toml").read_text()).items()
}
_TIMED = "$ time {command}\n\nreal\t0m12.345s\nuser\t0m1.111s\nsys\t0m2.222s\n"
# Tool -> parser, command line without and with a place for options, output.
_RUNS = {
    "iozone": (
        "iozone",
        "iozone {}",
        "\tRun began: Sat Nov 21 04:39:02 2026\n\n\tCommand line used: {command}\n\tOutput is in kBytes/sec\n"
        "              kB  reclen    write  rewrite    read    reread\n"
        "           65536      64   100001   100002  100003   100004\n",
    ),
    "ior": (
        "ior",
        "mpirun -np 4 ior {} -o /x/file",
        "$ {command}\naccess    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter\n"
        "------    ---------  ---------- ---------  --------   --------   --------   --------   ----\n"
        "write     812.69     65536      1024.00    0.000222   0.157297   0.033054   0.157501   0\n",
    ),
    "mdtest": (
        "mdtest",
        "mdtest {} -d /x/y",
        "mdtest-4.0.0 was launched with 2 total task(s) on 1 node(s)\nCommand line used: {command}\n2 tasks, 1000 files\n\n"
        "SUMMARY rate: (of 1 iterations)\n"
        "   Operation                      Max            Min           Mean        Std Dev\n"
        "   ---------                      ---            ---           ----        -------\n"
        "   File creation               1000.100       1000.100       1000.100          0.000\n",
    ),
    "bonnie++": (
        "bonnie++",
        "bonnie++ -s 8G {}",
        "$ {command}\n1.97,1.97,box,1,1363285024,8G,,500,99,90000,30,50000,20,900,99,200000,30,300.1,20,"
        "16,,,,,2000,20,+++++,+++,2500,15,"
        "2100,21,+++++,+++,2600,16,15000us,200ms,300ms,10000us,20000us,30000us,400us,500us,600us,700us,800us,900us\n",
    ),
    "dd": (
        "dd",
        "dd if=/dev/zero of=/x/file bs=1M count=1024 {}",
        "$ {command}\n1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2 s, 537 MB/s\n",
    ),
    "rsync": (
        "rsync",
        "rsync {} a/ b/",
        "$ {command}\n\nsent 1,000,100 bytes  received 100 bytes  400,080.00 bytes/sec\ntotal size is 1,000,000  speedup is 1.00\n",
    ),
    "cp": ("time", "cp {} a b", _TIMED),
    "tar": ("time", "tar -xf /x/y.tar {}", _TIMED),
    "elbencho": (
        "elbencho",
        "elbencho --lat {} /x/file",
        "$ {command}\nOPERATION   RESULT TYPE         FIRST DONE   LAST DONE\n"
        "=========== ================    ==========   =========\n"
        "WRITE       Elapsed time     :        1.5s        2.5s\n            IOPS             :         400         500\n---\n",
    ),
    "sysbench": (
        "sysbench",
        "sysbench fileio --file-test-mode=rndrw {} run",
        "$ {command}\nFile operations:\n    reads/s:                      3000.00\n    writes/s:                     2000.00\n"
        "    fsyncs/s:                     6398.16\n",
    ),
    "ioping": (
        "ioping",
        "ioping {} .",
        "$ {command}\n--- . (ext4 /dev/vda 252.0 GiB) ioping statistics ---\n"
        "3 requests completed in 4.29 ms, 12 KiB read, 699 iops, 2.73 MiB/s\n"
        "min/avg/max/mdev = 121.6 us / 1.43 ms / 3.98 ms / 1.80 ms\n",
    ),
    "filebench": (
        "filebench",
        "{}",
        "{command}\n 5.1: IO Summary: 131982 ops, 13195.963 ops/s, (1200/2399 r/w), 316.2mb/s, 413us cpu/op, 62.5ms latency\n",
    ),
    "dbench": ("dbench", "dbench {} 4", "$ {command}\nThroughput 7.5 MB/sec  4 clients  4 procs  max_latency=2.5 ms\n"),
    "rados": (
        "rados bench",
        "rados bench {} 10 seq",
        "$ {command}\nTotal reads made: 9\nRead size: 4096\nBandwidth (MB/sec): 1.5\n",
    ),
    "diskspd": (
        "diskspd",
        "diskspd -b4K {} D:\\x",
        "Command Line: {command}\nRead IO\nthread |   bytes   |   I/Os   |  MiB/s  |  I/O per s |  file\n---------\n"
        "total:       8388608 |         2048 |       2.00 |     512.00\n",
    ),
    "pv": ("pv", "zfs send a@b | pv {} | zfs recv c", "$ {command}\n6.06GiB 0:00:09 [ 642MiB/s] [      <=>     ]\n"),
    "mbuffer": (
        "pv",
        "zfs send a@b | mbuffer {} | zfs recv c",
        "$ {command}\nsummary: 6206 MiByte in 15.2sec - average of  408 MiB/s\n",
    ),
}
_ALL = [
    (tool, option, kind == "counts") for tool, kinds in _MANUALS.items() for kind, options in kinds.items() for option in options
]


@cache
def _workload(tool: str, *options: str) -> frozenset[tuple[str, frozenset[tuple[str, object]]]]:
    """The metrics and the identifying parameters of a run with those options."""
    words = "\n".join(f"set ${option}" for option in options) if tool == "filebench" else " ".join(options)
    return _read(tool, _RUNS[tool][1].format(words))


def _read(tool: str, command: str) -> frozenset[tuple[str, frozenset[tuple[str, object]]]]:
    name, _, output = _RUNS[tool]
    text = output.format(command=command)
    values = [value for value in read(_PARSERS[name], text, has_commands=True)[0] if value.tool == tool]
    assert values, text
    return frozenset((value.metric, frozenset(item for item in value.params.items() if is_identity(item[0]))) for value in values)


def test_manuals_are_covered() -> None:
    assert len(_ALL) >= 400
    assert _RUNS.keys() == _MANUALS.keys()


@pytest.mark.parametrize("tool", _MANUALS)
def test_each_option_counts_unless_it_has_no_effect(tool: str) -> None:
    wrong = [option for name, option, counts in _ALL if name == tool and (_workload(tool, option) != _workload(tool)) is not counts]
    assert not wrong


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(sorted(_MANUALS)), st.data())
def test_two_runs_that_differ_in_one_option(tool: str, data: st.DataObject) -> None:
    """Beside whatever other option, one more is another workload if it counts, the same one if it does not."""
    options = st.sampled_from([(option, counts) for name, option, counts in _ALL if name == tool])
    (other, _), (option, counts) = data.draw(options), data.draw(options)
    if _is_one(tool, other, option):
        return
    assert (_workload(tool, other, option) != _workload(tool, other)) is counts


_ONE_PARAMETER = (  # held by one named parameter, or the later word decides
    {"list-only", "dry-run"},
    {"gds", "direct"},
    {"s3key", "s3endpoints"},
    {"rand", "backward"},
    {"-+d", "-V"},
    {"recursion", "no-recursion"},
)


def _is_one(tool: str, *options: str) -> bool:
    """Whether two words set one option, or one stands for the other too, so that the second may change nothing."""
    one, other = (_names(tool, option) for option in options)
    return bool(one & other) or any(pair <= one | other for pair in _ONE_PARAMETER)


def _names(tool: str, option: str) -> set[str]:
    operand, synonyms = option.partition("=")[0], TOOLS[tool].synonyms
    names = {synonyms.get(operand, operand), *read_command(tool, f"{tool} {option}")}
    return {part.partition("=")[0] for name in names for part in (name, *TOOLS[tool].expands.get(name, "").split())}


_SAME = (
    ("rsync", "-a", "--archive", "-rlptgoD", "-tpr -lgoD", "-avh --progress --stats", "-a -P", "-rlptgo --devices --specials"),
    ("rsync", "-az --bwlimit=1m", "--archive --compress --bwlimit 1048576"),
    ("rsync", "-aHAX", "-aXAH", "-a --hard-links --acls --xattrs"),
    ("rsync", "-rltgoD", "-a --no-perms", "-a --no-p"),
    ("cp", "-a", "--archive", "-dR --preserve=all", "-av"),
    ("cp", "-r", "-R", "--recursive", "-rv"),
    ("tar", "-z", "--gzip", "--gunzip -v"),
    ("iozone", "-i 0 -i 1 -c", "-c -i1 -i0", "-i0 -ci1"),
    ("iozone", "-f /mnt/a", "-f /mnt/b"),
    ("ior", "-w -r -F", "-F", "-O filePerProc=1,keepFile=1", "-F -vvv"),
    ("ior", "-C -e", "-eC", "-O reorderTasks=1 -O fsync=1", "-O reordertasksconstant=1,fsync=1"),
    ("mdtest", "-C -T -E -r", "", "-v -P"),
    ("mdtest", "-F -u", "'-F' '-u'", "-uF"),
    ("bonnie++", "-fb", "-f -b -q", "-b -f -d /mnt/x -u root"),
    ("dd", "conv=notrunc,fsync", "conv=fsync,notrunc status=none", "conv=notrunc,fsync,excl"),
    ("elbencho", "-w -t 4 --limitwrite=1m", "--write --threads=4 --limitwrite 1048576", "-wt4 --limitwrite=1m"),
    ("sysbench", "--time=60 --file-fsync-freq=0", "--max-time=60 --file-fsync-freq=0 --report-interval=1"),
    ("sysbench", "", "--file-fsync-freq=100 --file-fsync-end=on --file-fsync-mode=fsync"),
    ("ioping", "-D -c 10 -i 0.5", "-Dc10 -i 500ms", "-direct -count 10 -interval 500ms -q"),
)


@pytest.mark.parametrize("tool, spellings", [(tool, spellings) for tool, *spellings in _SAME])
def test_spellings_of_one_workload(tool: str, spellings: list[str]) -> None:
    """Long and short options, combined letters, orders, paths and documented defaults."""
    assert len({_workload(tool, spelling) for spelling in spellings}) == 1


_PLACES = (
    ("dd", "dd if=/dev/zero of=/mnt/f bs=1M", "dd if=/dev/zero of=/dev/sdb bs=1M", "dd if=/dev/urandom of=/mnt/f bs=1M"),
    ("dd", "dd if=/mnt/f of=/dev/null", "dd if=/dev/sdb of=/dev/null", "dd if=/mnt/f of=/mnt/g", "dd if=/dev/zero of=/dev/null"),
    ("ioping", "ioping /mnt", "ioping /dev/sda"),
    ("elbencho", "elbencho -w /mnt/a", "elbencho -w /mnt/a /mnt/b", "elbencho -w /dev/sda", "elbencho -w /dev/sda /dev/sdb"),
    ("ior", "ior -w -o /mnt/a", "ior -w -o /mnt/a@/mnt/b", "ior -w -o /dev/sda"),
    ("mdtest", "mdtest -F -d /mnt/a", "mdtest -F -d /mnt/a@/mnt/b"),
    ("tar", "tar -cf /x/y.tar a", "tar -cf /dev/null a", "tar -cf - a", "tar -cf /dev/st0 a", "sh -c 'tar -cf /x/y.tar a; sync'"),
)


@pytest.mark.parametrize("tool, commands", [(tool, commands) for tool, *commands in _PLACES])
def test_devices_and_the_number_of_targets_count(tool: str, commands: list[str]) -> None:
    """Where the files are does not; whether it is a device, nowhere or several places does, and what else is timed."""
    assert len({_read(tool, command) for command in commands}) == len(commands)
    assert _read(tool, commands[0]) == _read(tool, commands[0].replace("/mnt/", "/srv/other/").replace("/x/", "/srv/other/"))


def test_a_copy_to_another_machine_is_another_workload() -> None:
    assert _read("rsync", "rsync -a a/ b/") == _read("rsync", "rsync -a /srv/a/ /mnt/b/") != _read("rsync", "rsync -a a/ box:/b/")


_IOR_HEAD = "IOR-4.0.0: MPI Coordinated Test of Parallel I/O\nCommand line        : ior {command}\nMachine             : Linux vm\n"
_IOR_ROW = _RUNS["ior"][2].partition("\n")[2]
_IOZONE, _SYSBENCH, _BONNIE, _IOPING, _FILEBENCH = (
    _RUNS[tool][2].removeprefix("$ {command}\n").removeprefix("{command}\n")
    for tool in ("iozone", "sysbench", "bonnie++", "ioping", "filebench")
)
_MDTEST = _RUNS["mdtest"][2].partition("{command}\n")[2]
_OPTIONS, _RESULTS = f"{_IOR_HEAD}\nOptions: \n", f"\nResults: \n\n{_IOR_ROW}"
_SHOWN = (
    # Output of a run, whose head shows the option, and the parameters that the option is.
    ("ior", f"{_OPTIONS}ordering inter file : constant task offset\ntask offset : 1\n{_RESULTS}", {"ior.reorderTasks": "1"}),
    ("ior", f"{_OPTIONS}ordering inter file : random task offset\ntask offset         : 2\n{_RESULTS}",
     {"ior.reorderTasksRandom": "1", "ior.taskPerNodeOffset": "2"}),
    ("ior", f"{_OPTIONS}api                 : POSIX\nstonewallingTime    : 300\nstoneWallingWearOut : 1\n{_RESULTS}",
     {"ior.deadlineForStonewalling": "300", "ior.stoneWallingWearOut": "1"}),
    ("ior", f"{_IOR_HEAD}\nParameters: \ncheckRead : 1\nkeepFile : 1\nreorderTasks : 0\nnewOption : 3\n\n{_IOR_ROW}",
     {"ior.checkRead": "1", "ior.newOption": "3"}),
    ("ior", "IOR-3.0.1: MPI Coordinated Test of Parallel I/O\n\nSummary:\n\tapi                = POSIX\n"
     f"\tordering inter file=constant task offsets = 1\n\n{_IOR_ROW}", {"ior.reorderTasks": "1"}),
    ("mdtest", "mdtest-4.0.0 was launched with 2 total task(s) on 1 node(s)\n"
     "V-1: Rank   0 Line  2443 barriers                : False\n"
     "V-1: Rank   0 Line  2454 files_only              : True\nV-1: Rank   0 Line  2463 nstride                 : 1\n"
     "V-1: Rank   0 Line  2468 shared_file             : False\n" + _MDTEST,
     {"mdtest.-B": "1", "mdtest.-F": "1", "mdtest.-N": "1"}),
    ("sysbench", "$ sysbench fileio --file-test-mode=rndrw \\\n  --time=60 --file-fsync-freq=0 run\n" + _SYSBENCH,
     {"sysbench.time": "60s", "sysbench.file-fsync-freq": "0"}),
    ("iozone", "\tInclude fsync in write timing\n\tInclude close in write timing\n\tNo retest option selected\n" + _IOZONE,
     {"iozone.-e": "1", "iozone.-c": "1", "iozone.-+n": "1"}),
    ("iozone", "\tDedup within & across 20 percent.\n\tMulti_buffer. Work area 16777216 bytes\n" + _IOZONE,
     {"iozone.-+y": "20", "iozone.-m": "1"}),
    ("sysbench", "Extra file open flags: dsync \n128 files, 80MiB each\n10GiB total file size\nBlock size 16KiB\n"
     "Periodic FSYNC enabled, calling fsync() each 7 requests.\nUsing synchronous I/O mode\nDoing random r/w test\n\n" + _SYSBENCH,
     {"sysbench.file-extra-flags": "dsync", "sysbench.file-fsync-freq": "7", "sysbench.file-fsync-end": "0"}),
    ("bonnie++", _BONNIE.replace("900,99,", ",,").replace(",500,99,", ",,,").replace("15000us", "").replace("10000us", ""),
     {"bonnie++.-f": "1"}),
    ("ioping", _IOPING.replace("(ext4 /dev/vda 252.0 GiB)", "(block device 252.0 GiB)"), {"ioping.target": "device"}),
    ("filebench", "set $eventrate=96\nrun 300\n" + _FILEBENCH, {"filebench.eventrate": "96", "filebench.run": "300"}),
)  # fmt: skip


@pytest.mark.parametrize("tool, output, shown", _SHOWN)
def test_what_an_output_shows_of_its_options(tool: str, output: str, shown: dict[str, str]) -> None:
    text = output.format(command="-t 1m") if "{command}" in output else output
    params = [value.params for value in read(_PARSERS[_RUNS[tool][0]], text)[0]]
    assert params
    assert all({name: value for name, value in given.items() if name.startswith(f"{tool}.")} == shown for given in params)
