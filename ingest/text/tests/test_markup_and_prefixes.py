"""The same output as people keep it: quoted, indented, prefixed, marked up, encoded otherwise. It gives the same values."""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest import read
from ingest.records import Measurement
from ingest.tests.samples import FOLDER
from ingest.tests.thinning import some

SAMPLES = FOLDER
OUTPUTS = (
    "bonnie++/emphasis-and-no-name.txt",
    "bonnie++/report-200-beside-csv.txt",
    "dd/gnu-with-bash-time.txt",
    "du/ratios-asked-in-several-ways.txt",
    "elbencho/3.x-mixed-and-s3.txt",
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
    "code tags of a board on the line": _inside("[code]", "[/code]\n"),
    "Jira": _inside("{noformat}\n", "{noformat}\n"),
    "no-break blanks": lambda text: text.replace(" ", "\u00a0"),
    "backticks": lambda text: "\n".join(f"`{line}`" if line.strip() and "`" not in line else line for line in text.split("\n")),
    "stamps of a container": _before(lambda at: f"2024-03-01T{_clock(at)}.123456789Z "),
    "stamps of containerd": _before(lambda at: f"2024-03-01T{_clock(at)}.123456789Z stdout F "),
    "stamps of a logger": _before(lambda at: f"2024-03-01 {_clock(at)},123 "),
    "level and stream of a test runner": _before(lambda at: f"{_clock(at)} DEBUG| [stdout] "),
    "clock": _before(lambda at: f"[{_clock(at)}] "),
    "syslog": _before(lambda at: f"Mar  1 {_clock(at)} node07 job[4242]: "),
    "kubectl --prefix": _before(lambda at: "[pod/bench-0/bench] "),
    "docker compose": _before(lambda at: "bench-1  | "),
    "pdsh": _before(lambda at: "node-07: "),
    "srun -l": _before(lambda at: "0: "),
    "mpirun --tag-output": _before(lambda at: "[1,0]<stdout>:"),
    "mpiexec -prepend-rank": _before(lambda at: "[0] "),
    "rsyslog": _before(lambda at: f"2024-03-01T{_clock(at)}.123456+01:00 node1 bench: "),
    "Org": _before(lambda at: ": "),
    "colours": _before(lambda at: "\x1b[32m"),
    "erased ends": _after("\x1b[K"),
    "blanks at the ends": _after("   "),
    "prologue": _inside("==== prologue ====\nJobID: 12345\nNodes: node[01-02]\n====\n", "\n====\nJob finished: exit 0\n"),
}

_EVERY_LINE = {  # a whole file behind one margin or logger
    "comment": lambda at: "# ",
    "comment without blanks": lambda at: "#",
    "comment of C++": lambda at: "// ",
    "comment of SQL": lambda at: "-- ",
    "comment of TeX": lambda at: "% ",
    "added file of a diff": lambda at: "+",
    "cat -n": lambda at: f"{at + 1:6}\t",
    "cat -n, tabs as blanks": lambda at: f"{at + 1:6}  ",
    "grep -n": lambda at: f"{at + 1}:",
    "grep in files": lambda at: "results/out.log:",
    "grep -n in files": lambda at: f"out.log:{at + 1}:",
    "bat": lambda at: f"{at + 1:4} \u2502 ",
    "ts": lambda at: f"Mar 01 {_clock(at)} ",
    "bare clock": lambda at: f"{_clock(at)} ",
    "date": lambda at: f"Fri Mar  1 {_clock(at)} UTC 2024 ",
    "date and a colon": lambda at: f"Fri Mar  1 {_clock(at)} CET 2024: ",
    "date of a newer locale": lambda at: f"Fri 01 Mar 2024 {_clock(at)} PM CET - ",
    "Tera Term": lambda at: f"[Fri Mar 01 {_clock(at)}.123 2024] ",
    "loguru": lambda at: f"2024-03-01 {_clock(at)}.123 | INFO     | __main__:run:12 - ",
    "pdsh of addresses": lambda at: "10.0.0.5: ",
    "dmesg": lambda at: f"[{at:5}.123456] ",
    "journalctl -o short-iso": lambda at: f"2024-03-01T{_clock(at)}+0100 node1 bench[77]: ",
    "Go's log": lambda at: f"2024/03/01 {_clock(at)} ",
    "Python's logging": lambda at: f"2024-03-01 {_clock(at)},123 - bench - INFO - ",
    "Python's default": lambda at: "INFO:root:",
    "level": lambda at: "[INFO] ",
    "stamp and level": lambda at: f"2024-03-01 {_clock(at)} INFO  ",
    "docker build": lambda at: f"#12 {at / 10:.1f} ",
    "fabric": lambda at: "[10.0.0.1] out: ",
    "vagrant": lambda at: "    default: ",
    "terraform": lambda at: "aws_instance.a (remote-exec): ",
    "list": lambda at: "- ",
    "chat": lambda at: "<bob> ",
    "chat with times": lambda at: f"[12:{at // 9 % 60:02}] <@bob_> ",
}
MARGINS: dict[str, Callable[[str], str | bytes]] = {
    **{name: _before(prefix) for name, prefix in _EVERY_LINE.items()},
    "comment of C": lambda text: "/*\n" + "\n".join((" * " + line).rstrip() for line in text.split("\n")) + "\n */\n",
    "Docker's JSON file": lambda text: "".join(_logged(at, line) for at, line in enumerate(text.split("\n"))),
    "zap": lambda text: "".join(json.dumps({"level": "info", "msg": line}) + "\n" for line in text.split("\n")),
    "journalctl -o json": lambda text: "".join(json.dumps({"PRIORITY": "6", "MESSAGE": line}) + "\n" for line in text.split("\n")),
    "Ansible": lambda text: 'ok: [n1] => {\n    "out.stdout_lines": [\n' + _strings(text, "") + "\n    ]\n}\n",
    "notebook": lambda text: '     "text": [\n' + _strings(text, "\n") + "\n     ]\n",
}


def _logged(at: int, line: str) -> str:
    logged = {"log": line + "\n", "stream": "stdout", "time": f"2024-03-01T{_clock(at)}.123456789Z"}
    return json.dumps(logged, separators=(",", ":"), ensure_ascii=at % 2 == 0) + "\n"


def _strings(text: str, end: str) -> str:
    return ",\n".join("      " + json.dumps(line + end, ensure_ascii=False) for line in text.split("\n"))


def _values(path: Path) -> Counter[tuple[object, ...]]:
    return Counter(
        (one.tool, one.metric, one.value, one.raw, one.stat, one.params.get("part"), one.duplicate_of is None)
        for one in read([str(path)])
        if isinstance(one, Measurement)
    )


@pytest.mark.parametrize("name", some(OUTPUTS))
def it_reads_the_same_from_every_dressing(name: str, tmp_path: Path) -> None:
    assert _differing(name, DRESSINGS, tmp_path) == {}


@pytest.mark.parametrize("name", OUTPUTS[1::3])
def it_reads_the_same_behind_every_margin(name: str, tmp_path: Path) -> None:
    assert _differing(name, MARGINS, tmp_path) == {}


def _differing(name: str, dressings: dict[str, Callable[[str], str | bytes]], folder: Path) -> dict[str, tuple[int, int]]:
    """Dressings from which other values come: how many are lost, how many are new."""
    text, file = (SAMPLES / name).read_text(encoding="utf-8"), folder / Path(name).name
    plain = _values(SAMPLES / name)
    assert plain
    differing = {}
    for dressing, wear in dressings.items():
        dressed = wear(text)
        file.write_bytes(dressed if isinstance(dressed, bytes) else dressed.encode())
        if (got := _values(file)) != plain:
            differing[dressing] = (sum((plain - got).values()), sum((got - plain).values()))
    return differing
