"""Texts that quote results and texts of people who measured, and what is read from each.

`quotations/*.txt` has one text below each line `%%%% FILE: what it is`. `{dd quoted}` stands for an output of dd that is a
quotation, `{dd own}` for one that is a result, each with numbers of its own; what precedes it on its line precedes each line of
the output. The other tools are in `_OUTPUTS`; a number behind the word stands for the same output again.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import ingest
from ingest.records import Evidence, Measurement, Warning

FOLDER = Path(__file__).with_name("quotations")
_OUTPUTS = {  # with the seed for numbers, 101 and more
    "dd": "{0}+0 records in\n{0}+0 records out\n{1} bytes ({0} MB, {0} MiB) copied, 1.{0} s, {2:.1f} MB/s",
    "fio": (
        "job: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=16\n"
        "fio-3.16\nStarting 1 process\n\njob: (groupid=0, jobs=1): err= 0: pid=4242: Mon Mar  1 10:00:00 2021\n"
        "  read: IOPS={0}k, BW={0}MiB/s ({0}MB/s)(2881MiB/60001msec)\n\nRun status group 0 (all jobs):\n"
        "   READ: bw={0}MiB/s ({0}MB/s), {0}MiB/s-{0}MiB/s ({0}MB/s-{0}MB/s), io=2881MiB (3021MB), run=60001-60001msec"
    ),
    "hdparm": (
        "/dev/sda:\n Timing cached reads:   1{0} MB in  2.00 seconds = 1{0}.00 MB/sec\n"
        " Timing buffered disk reads: {0} MB in  3.00 seconds = {0}.25 MB/sec"
    ),
    "bonnie": (
        "1.97,1.97,vm,1,1400000000,8G,,600,99,{0}11,20,{0}00,15,2{0},98,{0}22,18,{0}.5,9,16,,,,,4{0},20,+++++,+++,5{0},20,4100,20,"
        "+++++,+++,4200,19,14000us,90000us,80000us,9000us,70000us,60000us,5000us,300us,400us,300us,10us,500us"
    ),
}
_OUTPUT = re.compile(r"^(?P<before>.*)\{(?P<tool>\w+) (?P<whose>own|quoted)(?P<number>\d*)\}(?P<after>.*)$", re.M)


class Case(NamedTuple):
    """`own`, `quoted`: seeds of the outputs that are results, and of those that are not."""

    path: str
    what: str
    content: str
    own: frozenset[int]
    quoted: frozenset[int]


def list_cases(folder: Path = FOLDER) -> list[Case]:
    """The texts of every file of the folder, with outputs in place of their names."""
    texts = (part for file in sorted(folder.glob("*.txt")) for part in file.read_text(encoding="utf-8").split("%%%% ")[1:])
    return [_make(*text.split("\n", 1)) for text in texts]


def _make(head: str, content: str) -> Case:
    path, _, what = head.partition(": ")
    seeds: dict[tuple[str, str], int] = {}

    def fill(match: re.Match[str]) -> str:
        seed = seeds.setdefault((match["whose"], match["number"] or str(len(seeds) + 50)), 101 + 7 * len(seeds))
        lines = _OUTPUTS[match["tool"]].format(seed, seed << 20, (seed << 20) / (1e6 + seed * 1e3)).split("\n")
        return "\n".join(match["before"] + line for line in lines) + match["after"]

    content = _OUTPUT.sub(fill, content)
    own, quoted = (frozenset(seed for (one, _), seed in seeds.items() if one == whose) for whose in ("own", "quoted"))
    return Case(path, what, content, own - quoted, quoted)


def read_case(case: Case) -> tuple[set[int], list[str], int]:
    """(seeds of the outputs that give values, configuration keys, number of warnings `quoted`)."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "upload", case.path)
        path.parent.mkdir(parents=True)
        path.write_text(case.content, encoding="utf-8")
        records = list(ingest.read([Path(folder, "upload")]))
    raw = [record.raw for record in records if isinstance(record, Measurement) and record.duplicate_of is None]
    seeds = {seed for seed in case.own | case.quoted if any(re.search(rf"(?<!\d){seed}(?!\d)", text) for text in raw)}
    keys = [f"{record.key} = {record.value!r}" for record in records if isinstance(record, Evidence)]
    return seeds, keys, sum(isinstance(record, Warning) and record.code == "quoted" for record in records)


def values_from_quotations(folder: Path = FOLDER) -> Iterator[str]:
    """A line for each quotation that gave values, and for each text of quotations alone that gave evidence."""
    for case in list_cases(folder):
        seeds, keys, _ = read_case(case)
        yield from (f"{case.path} ({case.what}): {seed}" for seed in sorted(seeds & case.quoted))
        if not case.own:
            yield from (f"{case.path} ({case.what}): {key}" for key in keys)
