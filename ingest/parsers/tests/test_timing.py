"""time: the format of every shell, and the operation of the timed command."""

from __future__ import annotations

import pytest

from ingest.parsers.copies._timing_command import parse_timed_command
from ingest.parsers.copies.timing import PARSER
from ingest.tests.reading import read, values_by_metric


@pytest.mark.parametrize(
    ("output", "timer", "real", "user", "system"),
    [
        ("\nreal\t0m1.027s\nuser\t0m0.022s\nsys\t0m0.378s", "bash", 1.027, 0.022, 0.378),
        ("\nreal\t1m1,027s\nuser\t0m0,022s\nsys\t0m0,378s", "bash", 61.027, 0.022, 0.378),
        ("real 0.20\nuser 0.00\nsys 0.16", "posix", 0.2, 0.0, 0.16),
        ("real    1m 52.31s\nuser    0m 0.01s\nsys     0m 7.38s", "busybox", 112.31, 0.01, 7.38),
        ("\nreal     1:02.3\nuser        0.5\nsys        12.0", "solaris", 62.3, 0.5, 12.0),
        ("\nreal    0m9.17s\nuser    0m0.40s\nsys     0m3.06s", "ksh", 9.17, 0.4, 3.06),
        ("        0.08 real         0.01 user         0.02 sys", "bsd", 0.08, 0.01, 0.02),
        ("    1m02.35s real     0m00.51s user     0m12.02s system", "ksh", 62.35, 0.51, 12.02),
        (
            "0.03user 0.06system 1:02:00.13elapsed 50%CPU (0avgtext+0avgdata 1588maxresident)k",
            "gnu",
            3720.13,
            0.03,
            0.06,
        ),
        ("0.007u 4.455s 4:14.75 1.7% 21+174k 70801+2io 0pf+0w", "tcsh", 254.75, 0.007, 4.455),
        ("0.0u 0.2s 0:00.57 47.3% 0+0k 0+160120io 0pf+0w", "csh", 0.57, 0.0, 0.2),
        ("cp -a /a /b  1.21s user 9.87s system 41% cpu 2:08.88 total", "zsh", 128.88, 1.21, 9.87),
        (
            "________\nExecuted in    1.02 mins      fish           external\n   usr time  512.00 "
            "millis    0.40 millis  511.60 millis\n"
            "   sys time   12.02 secs      1.10 millis   12.02 secs",
            "fish",
            61.2,
            0.512,
            12.02,
        ),
        (
            '\tCommand being timed: "cp -a /a /b"\n\tUser time (seconds): 0.01\n\tSystem time '
            "(seconds): 0.19\n\tPercent of CPU this job got: 59%\n"
            "\tElapsed (wall clock) time (h:mm:ss or m:ss): 0:00.35\n\tMaximum resident set size "
            "(kbytes): 1996\n\tExit status: 0",
            "gnu",
            0.35,
            0.01,
            0.19,
        ),
        ("real\n\n0m2.857s\n\nuser\n\n0m2.733s\n\nsys\n\n0m0.114s", "bash", 2.857, 2.733, 0.114),  # torn into cells
        ("real    0m43.469s   <-- slow\nuser    0m0.002s\nsys     0m8.523s", "bash", 43.469, 0.002, 8.523),
        (
            "User time (seconds): 0.01\nSystem time (seconds): 0.19\nElapsed (wall clock) time (h:mm:ss or m:ss): 0:04.38   ----\n",
            "gnu",
            4.38,
            0.01,
            0.19,
        ),
    ],
)
def test_form(output: str, timer: str, real: float, user: float, system: float) -> None:
    values, doubts = read(PARSER, f"$ time cp -a /a /b\n{output}")
    assert values_by_metric(values) == {
        "copy.elapsed": pytest.approx(real),
        "copy.user": pytest.approx(user),
        "copy.sys": pytest.approx(system),
    }
    assert {v.params["timer"] for v in values} == {timer}
    assert {v.tool for v in values} == {"cp"}
    assert not doubts


@pytest.mark.parametrize(
    ("command", "tool", "operation"),
    [
        ("time cp -a /a /b", "cp", "copy"),
        ("time -p tar cf x.tar src", "tar", "archive"),
        ("/usr/bin/time -v tar -xzf x.tgz -C /tank", "tar", "extract"),
        ("sudo time rm -rf /tank/src", "rm", "remove"),
        ("time sudo -u nobody /bin/rm -rf x", "rm", "remove"),
        ("time find /tank -type f | wc -l", "find", "list"),
        ("time rsync -a a/ b/", "rsync", "copy"),
        ("busybox time busybox cp -a a b", "cp", "copy"),
        ("time (cp -r a b && sync)", "cp", "copy"),
        ("time sh -c 'tar xf a.tar; sync'", "tar", "extract"),
        ("time LC_ALL=C nice -n 19 cp a b", "cp", "copy"),
        ("time tar tf x.tar > /dev/null", "tar", "run"),
        ("time gtar --extract -f a.tar", "tar", "extract"),
        ("time dd if=/dev/zero of=/tank/f bs=1M", "dd", "run"),
        ("time ./fdtree.bash -l 3", "fdtree", "run"),
        ("time bonnie++ -d /tank", "bonnie++", "run"),
        ("time /opt/bin/mpirun -np 2 ior", "mpirun", "run"),
        ("cat a.tar | time tar xf -", "tar", "extract"),
        ("/usr/bin/time -f '%e %U' cp a b", "cp", "copy"),
        ("time tar xf a.tar && rm -rf a", "tar", "extract"),
        ("time (tar xf a.tar; rm -rf a)", "tar", "run"),
        ("time tar cf - src | ssh h tar xf -", "tar", "run"),
        ("cp a b", "cp", "copy"),
        ("time for i in 1 2; do cp a $i; done", "cp", "copy"),
    ],
)
def test_operation(command: str, tool: str, operation: str) -> None:
    timed = parse_timed_command(command, 1)
    assert timed is not None
    assert (timed.tool, timed.operation) == (tool, operation)


def test_a_command_with_continuation_lines_is_complete() -> None:
    values, _ = read(PARSER, "# time rsync \\\n -a \\\n /a/ /b/\nreal 2.00\nuser 0.10\nsys 0.50")
    assert {value.params["command"] for value in values} == {"rsync -a /a/ /b/"}
    assert {value.depends for value in values} == {(1, 2, 3, 4, 5, 6)}


def test_a_line_of_zsh_quoted_in_a_sentence() -> None:
    values, _ = read(PARSER, "It took 37 minutes: `cp -a /a /b  3,71s user 67,00s system 3% cpu 37:08,11 total`, in `zsh`.")
    assert {value.params["command"] for value in values} == {"cp -a /a /b"}
    assert [value.metric for value in values] == ["copy.user", "copy.sys", "copy.elapsed"]


@pytest.mark.parametrize(
    ("shown", "command"),
    [
        ("`time dd if=/dev/zero of=/tank/x bs=1M count=4`:", "dd if=/dev/zero of=/tank/x bs=1M count=4"),
        ("`sudo time find . -name '*.part'`", "find . -name '*.part'"),
        ("time find . -name '*.part'", "find . -name '*.part'"),
    ],
)
def test_a_command_in_prose(shown: str, command: str) -> None:
    values, _ = read(PARSER, f"{shown}\n```\nreal\t0m2.857s\nuser\t0m2.733s\nsys\t0m0.114s\n```\n")
    assert {value.params["command"] for value in values} == {command}


@pytest.mark.parametrize(("raw", "seconds"), [("58s", 58.0), ("2m52s", 172.0)])
def test_whole_seconds_typed_below_the_command(raw: str, seconds: float) -> None:
    values, _ = read(PARSER, f"1. time cp -a /a /b\nreal {raw}\n")
    assert [(value.metric, value.value) for value in values] == [("copy.elapsed", seconds)]
    assert not read(PARSER, f"It was slow\nreal {raw}\n")[0]


@pytest.mark.parametrize("text", ["real\n\n0m2.857s\n\nuser\n\n0m2.733s\n", "real\nuser\nsys\n", "real\n5\nuser\n6\nsys\n7\n"])
def test_words_without_all_their_figures_are_prose(text: str) -> None:
    assert not read(PARSER, f"$ time cp -a /a /b\n{text}")[0]


@pytest.mark.parametrize(
    ("commands", "operations"),
    [
        ("$ time cp a b; time rm b", "copy remove"),
        ("$ for i in 1; do time cp a b; time rm b; done", "copy remove"),
        ("for i in 1 2; do time cp a b && time rm b; done", "copy remove copy remove"),
        ("u@h:~$ while true; do time cp a b; time rm b; done", "copy remove copy"),  # interrupted
        ("$ for i in 1 2\n> do\n> time cp a b\n> sync\n> time rm b\n> done", "copy remove copy remove"),
        ("# cat /proc/uptime\n9 9\n# cd t; for i in 1 2; do time cp a b; time rm b; done", "copy remove copy remove"),
        ("for i in 1 2; do\n  time cp a b\n  time rm b\ndone", "copy remove copy remove"),
        ("for i in 1 2; do\n  time cp a b\ndone\ntime rm b", "copy copy remove"),
        ("time tar cf a b\nfor i in 1 2; do time cp a b; done; time rm b", "archive copy copy remove"),
        ("time for i in 1 2; do time cp a b; time rm b; done", "copy remove copy remove run"),
        ("for i in 1 2; do time cp a b; time rm b; done; time tar cf a b", "run run run run"),  # one of five is missing
        ("for i in 1 2; do for j in 1 2; do time cp a b; done; time rm b; done", "run run run run run run"),
        ("for i in 1 2; do for j in 1 2; do time cp a b; done; done", "copy copy copy copy"),
    ],
)
def test_several_timers_and_loops(commands: str, operations: str) -> None:
    timing = "\nreal 0m1.000s\nuser 0m0.100s\nsys 0m0.200s\n"
    values, _ = read(PARSER, f"{commands}\n{timing * len(operations.split())}")
    assert " ".join(value.metric.partition(".")[0] for value in values[::3]) == operations


def test_the_summary_above_names_the_tool() -> None:
    values, _ = read(
        PARSER,
        "sent 10 bytes  received 5 bytes  30.00 bytes/sec\ntotal size is 9  speedup is 0.60\n\nreal "
        "0m1.000s\nuser 0m0.100s\nsys 0m0.2s",
    )
    assert {(v.tool, v.metric.split(".")[0], v.params["total_size"], v.run) for v in values} == {("rsync", "copy", 9, 1)}


def test_nothing_names_the_tool() -> None:
    values, doubts = read(PARSER, "## Unpacking\n\nreal 223m44.980s\nuser 56m50.523s\nsys 148m21.597s")
    assert {(v.tool, v.metric.split(".")[0]) for v in values} == {("time", "run")}
    assert [d.code for d in doubts] == ["no-command"]


def test_formats_that_the_text_shows() -> None:
    values, _ = read(PARSER, "$ export TIMEFORMAT='%R %U %S'\n$ time cp a b\n0.673 0.004 0.317\n$ unset TIMEFORMAT\n0.1 0.2 0.3")
    assert [(v.line, v.metric, v.value) for v in values] == [
        (3, "copy.elapsed", 0.673),
        (3, "copy.user", 0.004),
        (3, "copy.sys", 0.317),
    ]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("$ time cp a b\nreal 0m0.000s\nuser 0m0.000s\nsys 0m0.000s", ["zero-time"]),
        ("$ time cp a b\nreal\t0m1.000s\nuser\t0m0.1", ["cut"]),
        (
            "$ time cp a b\n0.00user 0.00system 0:00.00elapsed ?%CPU (0avgtext+0avgdata 2068maxresident)k",
            ["unmeasured"],
        ),
    ],
)
def test_doubts(text: str, codes: list[str]) -> None:
    assert [d.code for d in read(PARSER, text)[1]] == codes


@pytest.mark.parametrize(
    "text", ["the real problem is the user and the sys admin", "real 4\nlife", "user time is precious", "4.2u of flour"]
)
def test_prose_is_left_alone(text: str) -> None:
    assert read(PARSER, text) == ([], [])


@pytest.mark.parametrize(
    ("before", "tools", "metric", "ambiguous"),
    [
        ("$ time cp -r a b & time cp -r c d\n[1] 12\n", "cp cp", "copy", True),
        ("$ time rm -r a & time tar cf b c\n[1] 12\n", "time time", "run", True),
        ("$ time cp a b & time cp a b\n", "cp cp", "copy", False),
        ("$ time cp a b & wait; time rm c\n", "cp rm", None, False),
        ("$ time cp a b && time rm c\n", "cp rm", None, False),
        ("time cp a b &\ntime rm c &\nwait\n", "time time", "run", True),
        ("time cp a b &\nwait\ntime rm c\n", "rm time", None, False),  # which output is that of the first command is unknown
        ("time cp a b\ntime rm c\n", "cp rm", None, False),
        ("time cp a b\n\n\ntime rm c\n", "cp rm", None, False),
        ("u@h:~$ time cp a b &\n[1] 12\nu@h:~$ time cp c d &\n[2] 13\nu@h:~$ \n", "cp cp", "copy", True),
    ],
)
def test_concurrent_commands(before: str, tools: str, metric: str | None, ambiguous: bool) -> None:
    values, doubts = read(PARSER, before + "\nreal\t0m5.0s\nuser\t0m1.0s\nsys\t0m1.0s\n\nreal\t0m7.0s\nuser\t0m2.0s\nsys\t0m2.0s\n")
    elapsed = [value for value in values if value.metric.endswith(".elapsed")]
    assert [value.tool for value in elapsed] == tools.split()
    assert metric is None or {value.metric for value in elapsed} == {f"{metric}.elapsed"}
    assert [doubt.line for doubt in doubts if doubt.code == "ambiguous"] == ([value.line for value in elapsed] if ambiguous else [])


@pytest.mark.parametrize(
    ("line", "warns"),
    [
        ("tar xf a.tar  0.05s us", True),
        ("0.00use", True),
        ("0.00user 0.06system 0:00.13ela", True),
        ("0.007u 4.455s 4:14", True),
        ("\tUser time (sec", True),
        ("\tElapsed (wall clock) time (h", True),
        ("1 passed in 0.05s", False),
        ("0.05us", False),
        ("This is real", False),
        ("User time", False),
    ],
)
def test_a_lone_line_that_is_cut_warns_and_prose_does_not(line: str, warns: bool) -> None:
    assert bool(PARSER.anchor.search(line) and read(PARSER, line)[1]) == warns


@pytest.mark.parametrize("torn", ["user\t*m2.837s", "user\t", "[ 1234.5] BUG: soft lockup - CPU#3 stuck for 22s!\nuser\t0m2.837s"])
def test_a_timing_with_a_damaged_line_is_of_its_command(torn: str) -> None:
    values, doubts = read(PARSER, f"$ time tar xf a.tar\nreal\t0m55.452s\n{torn}\nsys\t0m24.066s")
    assert {v.metric.partition(".")[0] for v in values} == {"extract"}
    assert "sys" in {v.native for v in values} and doubts


@pytest.mark.parametrize(
    ("above", "tool"),
    [("100000+0 records in\n100000+0 records out\n", "dd"), ("records out\n100000+0 records out\n", "time"), ("done\n", "time")],
)
def test_a_dd_that_prints_only_its_records_was_timed(above, tool):
    values, _ = read(PARSER, above + "real\t0m 31.69s\nuser\t0m 0.11s\nsys\t0m 3.66s\n")
    assert [(value.tool, value.metric) for value in values] == [(tool, "run.elapsed"), (tool, "run.user"), (tool, "run.sys")]


@pytest.mark.parametrize(
    ("text", "tools", "elapsed"),
    [
        (
            "UFS: 12.50s real    0.84s user   10.13s system\next2:  real 0m3.823s user  0m0.240s sys 0m3.570s",
            "time time",
            [12.5, 3.823],
        ),
        ("3.10:\t\t10.53s user 3.14s system 32% cpu 1:10.71 total", "time", [70.71]),
        ("$ time cp a b\nreal\t0m1.5s :)\nuser\t0m0.2s :-D\nsys\t0m0.3s", "cp", [1.5]),
        ("`time cp a b\nreal\t0m1.5s\nuser\t0m0.2s\nsys\t0m0.3s`", "cp", [1.5]),
        ("` time cp a b\nreal\t0m1.5s\nuser\t0m0.2s\nsys\t0m0.3s`", "cp", [1.5]),
        ("`time cp a b` was slow:\nreal\t0m1.5s\nuser\t0m0.2s\nsys\t0m0.3s", "time", [1.5]),
    ],
)
def test_remarks_and_labels_of_people(text: str, tools: str, elapsed: list[float]) -> None:
    values, _ = read(PARSER, text)
    shown = [value for value in values if value.metric.endswith(".elapsed")]
    assert [value.tool for value in shown] == tools.split() and [value.value for value in shown] == elapsed
    assert len(values) == 3 * len(elapsed)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("GOMAXPROCS=3 time ./walk", "GOMAXPROCS=3 ./walk"),
        ("LC_ALL=C time ./walk", "./walk"),
        ("A=1 B=c /usr/bin/time -p ./walk", "A=1 B=c ./walk"),
        ("cd x; time ./walk", "./walk"),
    ],
)
def test_variables_of_one_run_belong_to_its_command(command: str, expected: str) -> None:
    values, _ = read(PARSER, f"u@h:~$ {command}\n0.81 real 1.50 user 0.01 sys\n")
    assert {(v.tool, v.params["command"]) for v in values} == {("walk", expected)}


_PTIME = "\nreal        1.230\nuser        0.100\nsys         0.200\n"


@pytest.mark.parametrize(
    "text",
    [
        "#ptime find . > /dev/null\n" + _PTIME,
        "# ptime find . > /dev/null\n" + _PTIME,
        "#/usr/bin/ptime find . > /dev/null\n" + _PTIME,
        "box#ptime find . > /dev/null\n" + _PTIME,
        "root@box:/tank# ptime -m find . > /dev/null\n" + _PTIME,
        "$ptime find . > /dev/null\n" + _PTIME,
        "> #ptime find . > /dev/null\n>" + _PTIME.replace("\n", "\n> "),
        "#ptime find . > /dev/null\nreal 1.230 / user 0.100 / sys 0.200\n",
    ],
)
def test_ptime_at_a_prompt_with_or_without_a_space(text: str) -> None:
    values, doubts = read(PARSER, text)
    assert values_by_metric(values) == {"list.elapsed": 1.23, "list.user": 0.1, "list.sys": 0.2}
    assert {(v.tool, v.params["timer"], v.params["command"]) for v in values} == {("find", "ptime", "find . > /dev/null")}
    assert not doubts


@pytest.mark.parametrize(
    ("command", "output", "timer"),
    [
        ("#time find .", "real\t0m1.500s\nuser\t0m0.200s\nsys\t0m0.300s", "bash"),
        ("# timex find .", "real 1.50\nuser 0.20\nsys 0.30", "timex"),
        ("# ptime find .", "real\t0m1.500s\nuser\t0m0.200s\nsys\t0m0.300s", "bash"),  # ptime prints no such format
        ("# time find .", "real 1.50\nuser 0.20\nsys 0.30", "posix"),
    ],
)
def test_the_timer_is_named_where_the_format_allows_it(command: str, output: str, timer: str) -> None:
    values, _ = read(PARSER, f"{command}\n{output}\n")
    assert {(v.tool, v.params["timer"]) for v in values} == {("find", timer)}


def test_a_fragment_of_an_address_is_no_prompt() -> None:
    values, _ = read(PARSER, f"see http://box.example/notes#time find .\n{_PTIME}")
    assert {v.tool for v in values} == {"time"}
