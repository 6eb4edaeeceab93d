"""Labels and numbered outputs that a sweep's script writes in one step."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.detect.sweep_scripts import Sweep, find_sweeps
from ingest.text.lines import Text

LOOP = 'for c in off lz4; do\n{count}\n  echo "compression=$c" >> bench.csv\n  iozone -a -b {name}\ndone\n'
WRITTEN_OUT = "".join(
    f'zpool create tank /dev/sdb\necho "compression={c}" >> bench.csv\nbonnie++ -q >> bench.csv\niozone -a -b out{n}.xls\n'
    for n, c in enumerate(("off", "lz4", "gzip-6"), 1)
)
SWEEP = Sweep("bench.csv", "out", ".xls")


def sweeps_of(body: str, name: str = "run.sh"):
    return list(find_sweeps(Text(name, body.split("\n"), body)))


@pytest.mark.parametrize(
    "body",
    [
        LOOP.format(count="n=$((n+1))", name="out$n.xls"),
        LOOP.format(count="n=$(( $n + 1 ))", name="/tmp/out${n}.xls"),
        LOOP.format(count="((n++))", name='"out${n}.xls"'),
        LOOP.format(count="(( n += 1 ))", name="out$(printf %02d $n).xls"),
        LOOP.format(count="let n++", name="out$n.xls"),
        LOOP.format(count="let n=n+1", name="out$n.xls"),
        LOOP.format(count="n=`expr $n + 1`", name="out$n.xls"),
        LOOP.format(count="n=$(expr $n + 1)", name="out`printf '%03d' $n`.xls"),
        LOOP.format(count="", name="out$((n++)).xls"),
        LOOP.format(count="", name="$PWD/out$((++n)).xls"),
        LOOP.format(count="n=$((n+1)); if true; then :; fi; { sync; }", name="out$n.xls"),
        'for c in off lz4; do n=$((n+1)); echo "compression=$c" >>bench.csv; iozone -b out$n.xls; done\n',
        'LOG=/root/bench.csv\nfor i in 1 2 3; do echo "run $i" | tee -a "$LOG"; iozone -a > out$i.xls; done\n',
        "for ((i=1; i<=15; i++)); do\nprintf 'gzip-%d\\n' $i >> bench.csv\niozone -a -b out$i.xls\ndone\n",
        "for i in {1..9}\ndo\necho gzip-$i >> bench.csv\nfio --output=out$i.xls job\ndone\n",
        "for i in $(seq 1 $N); do\n echo gzip-$i >> bench.csv\niozone -b out$i.xls\ndone\n",
        "step() {\n echo $1 >> bench.csv\n n=$((n+1))\n iozone -b out$n.xls\n}\nstep off\nstep lz4\n",
        "n=0\nwhile read c; do\n echo $c >> bench.csv; n=$((n+1))\n for r in 1; do sync; done\n iozone -b out$n.xls\ndone < list\n",
    ],
)
def test_a_loop_or_function_that_writes_both(body):
    assert sweeps_of(body) == [SWEEP]


def test_steps_one_below_the_other():
    assert sweeps_of(WRITTEN_OUT) == [SWEEP._replace(numbers=(1, 2, 3))]
    assert sweeps_of("#!/bin/sh\n" + WRITTEN_OUT, "sweep") == [SWEEP._replace(numbers=(1, 2, 3))]


@pytest.mark.parametrize(
    "body",
    [
        LOOP.format(count="", name="out$n.xls"),  # the counter does not rise
        LOOP.format(count="((n)) && test $n", name="out$n.xls"),
        LOOP.format(count="n=$((n+1))", name="out.xls"),
        LOOP.format(count="n=$((n+1))", name="out$c$n.xls"),
        "for i in 3 2 1; do\n echo gzip-$i >> bench.csv\niozone -b out$i.xls\ndone\n",
        "for i in 1 3 9; do\n echo gzip-$i >> bench.csv\niozone -b out$i.xls\ndone\n",
        "for c in off lz4; do echo $c >> bench.csv; done\nfor i in 1 2; do iozone -b out$i.xls; done\n",
        "for c in off lz4; do\n echo $c >> bench.csv\n for i in 1 2 3; do iozone -b out$i.xls; done\ndone\n",
        "for i in 1 2; do\n bonnie++ >> bench.csv\n iozone -b out$i.xls\ndone\n",  # no label
        WRITTEN_OUT.replace("out1", "out9"),
        WRITTEN_OUT.replace("out2", "out1"),
        "iozone -b out1.xls\necho off >> bench.csv\niozone -b out2.xls\necho lz4 >> bench.csv\niozone -b out3.xls\n",
        'echo "off\nfor i in 1 2 3; do echo $i >> bench.csv; iozone -b out$i.xls',
        "done\n}\n; ;;\n&& done\n",
        "",
    ],
)
def test_what_is_no_sweep(body):
    assert sweeps_of(body) == []


def test_only_scripts_are_read():
    assert sweeps_of(WRITTEN_OUT, "notes.txt") == []


def test_a_hostile_script_takes_no_time():
    body = "".join(f"echo {n} >> log{n}\nfio out{n % 7}-{n}-{n}.json\n" for n in range(1500))
    assert sweeps_of(body) == []
    assert len(sweeps_of("while :; do\nn=$((n+1))\n" + body.replace("-", "$n") + "done")) <= 100
    assert sweeps_of("A=aa\n" + "B=$A$A\nA=$B$B\n" * 3000 + "fio $A\n") == []
    assert sweeps_of(f"fio a${'b' * 60_000}$\nfio {'1-' * 30_000}\n") == []


WORDS = st.sampled_from(
    [
        *"();{}'\"`\\#\n $&|<",
        "for i in 1 2",
        "while",
        "do",
        "done",
        "f() {",
        "echo a >> b",
        "n=$((n+1))",
        "((n++))",
        "out$n.x",
        "out1.x",
        "$((",
    ]
)


@given(st.lists(st.one_of(WORDS, st.text(max_size=3)), max_size=40))
def test_any_text_is_read(words):
    assert len(sweeps_of("".join(words))) <= 100
