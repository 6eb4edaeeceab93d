"""The same output as people keep it: quoted, indented, prefixed, marked up, encoded otherwise. It gives the same values."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest import read
from ingest.records import Measurement

SAMPLES = Path(__file__).parent / "samples"
OUTPUTS = (
    "bonnie++/emphasis-and-no-name.txt",
    "bonnie++/report-200-beside-csv.txt",
    "dd/gnu-with-bash-time.txt",
    "du/ratios-asked-in-several-ways.txt",
    "fdtree/run-with-time.txt",
    "filebench/1.4-fileserver.txt",
    "fio/mixed-normal.txt",
    "hdparm/cached-buffered-direct.txt",
    "ioping/1.3-requests.txt",
    "ior/3.3.0-verbose.txt",
    "iozone/all-thirteen-tests.txt",
    "iozone/throughput-children-and-cpu.txt",
    "mdtest/3.3.0.txt",
    "rsync/stats-then-verbose-with-time.txt",
    "time/bash-time.txt",
    "zpool-iostat/verbose-two-reports.txt",
    "zpool-iostat/waiting-times.txt",
)


def _before(prefix: Callable[[int], str]) -> Callable[[str], str]:
    return lambda text: "\n".join(prefix(at) + line for at, line in enumerate(text.split("\n")))


def _after(suffix: str) -> Callable[[str], str]:
    return lambda text: text.replace("\n", suffix + "\n")


def _inside(before: str, after: str) -> Callable[[str], str]:
    return lambda text: before + text + after


def _clock(at: int) -> str:
    return f"12:{at // 60 % 60:02}:{at % 60:02}"


DRESSINGS: dict[str, Callable[[str], str | bytes]] = {
    "CRLF": _after("\r"),
    "UTF-16": lambda text: ("\ufeff" + text).encode("utf-16-le"),
    "byte order mark": _inside("\ufeff", ""),
    "quoted mail": _before(lambda at: "> "),
    "quoted twice": _before(lambda at: "> > "),
    "indented": _before(lambda at: "    "),
    "tab": _before(lambda at: "\t"),
    "fence": _inside("It printed:\n\n```\n", "\n```\nRegards\n"),
    "fence in a list": lambda text: "1. Run it:\n\n" + _before(lambda at: "   ")("```console\n" + text + "\n```") + "\n2. Done\n",
    "pre": lambda text: "<p>Here:</p>\n<pre>\n" + html.escape(text) + "\n</pre>\n",
    "pre and code on the line": lambda text: "<p>Here:</p>\n<pre><code>" + html.escape(text) + "</code></pre>\n",
    "br": _after("<br />"),
    "code tags of a board": _inside("[code]\n", "\n[/code]\n"),
    "stamps of a container": _before(lambda at: f"2024-03-01T{_clock(at)}.123456789Z "),
    "stamps of a logger": _before(lambda at: f"2024-03-01 {_clock(at)},123 "),
    "clock": _before(lambda at: f"[{_clock(at)}] "),
    "syslog": _before(lambda at: f"Mar  1 {_clock(at)} node07 job[4242]: "),
    "kubectl --prefix": _before(lambda at: "[pod/bench-0/bench] "),
    "docker compose": _before(lambda at: "bench-1  | "),
    "pdsh": _before(lambda at: "node-07: "),
    "srun -l": _before(lambda at: "0: "),
    "mpirun --tag-output": _before(lambda at: "[1,0]<stdout>:"),
    "Org": _before(lambda at: ": "),
    "colours": _before(lambda at: "\x1b[32m"),
    "erased ends": _after("\x1b[K"),
    "blanks at the ends": _after("   "),
    "prologue": _inside("==== prologue ====\nJobID: 12345\nNodes: node[01-02]\n====\n", "\n====\nJob finished: exit 0\n"),
}


def _values(path: Path) -> Counter[tuple[object, ...]]:
    return Counter(
        (one.tool, one.metric, one.value, one.raw, one.stat, one.params.get("part"), one.duplicate_of is None)
        for one in read([str(path)])
        if isinstance(one, Measurement)
    )


@pytest.mark.parametrize("name", OUTPUTS)
def it_reads_the_same_from_every_dressing(name: str, tmp_path: Path) -> None:
    text, file = (SAMPLES / name).read_text(encoding="utf-8"), tmp_path / Path(name).name
    plain = _values(SAMPLES / name)
    assert plain
    differing = {}
    for dressing, wear in DRESSINGS.items():
        dressed = wear(text)
        file.write_bytes(dressed if isinstance(dressed, bytes) else dressed.encode())
        if (got := _values(file)) != plain:
            differing[dressing] = (sum((plain - got).values()), sum((got - plain).values()))
    assert differing == {}
