"""Every unit that a record of the samples carries has a meaning that is written down here, with its source.

Units by their standard names (IEC 80000-13 for KiB and MiB, SI for kB and MB) need no line of their own.
"""

from __future__ import annotations

import json
import re

import pytest

from ingest import numbers
from ingest.tests.samples import answer_of, outputs

GENERAL = {"B": 1, "1": 1, "x": 1, "%": 1, "1/s": 1, "ops/s": 1, "k/s": 1e3, "kops/s": 1e3, "1/min": 1 / 60, "IOPS": 1}
GENERAL |= {f"{p}iB": 1024**n for n, p in enumerate("KMGT", 1)} | {f"{p}B": 1000**n for n, p in enumerate("kMGT", 1)}
GENERAL |= {f"{unit}/s": factor for unit, factor in GENERAL.items() if unit.endswith("B")}
GENERAL |= {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600}

OF_TOOLS = {
    # bon_time.cpp: bytes / 1024 before K/sec; since 2.00 bytes per second with k, m, g of 1024; bon_csv2html: M/sec
    "bonnie++": {"/sec": 1, "K/sec": 1024, "M/sec": 2**20},
    # Bonnie.c, report(): bytes / 1024
    "bonnie": {"/sec": 1, "K/sec": 1024, "M/sec": 2**20},  # Bonnie64: size / (1024.0 * 1024.0)
    # rsync.1, --human-readable: bytes, K and M of 1000 (-hh: 1024)
    "rsync": {"bytes/sec": 1, "M": 2**20},
    # robocopy prints the bytes of a second as they are, grouped on newer systems
    "robocopy": {"Bytes/sec": 1},
    # sb_util.c, sb_print_value_size(): divided by 1024 for each letter
    "sysbench": {"Kb/sec": 1024, "Mb/sec": 2**20, "Gb/sec": 2**30},
    # hdparm.c, time_device(): divided by (1024 * 1024), below 1 MB by 1024
    "hdparm": {"MB/sec": 2**20, "kB/sec": 1024},
    # fio documentation, "Interpreting the output" and "Units": nsec, usec; bits with unit_base=1
    # yabs.sh, format_speed: fio's terse KiB/s divided by 1000 or 10^6
    "fio": {"nsec": 1e-9, "usec": 1e-6, "Gbit/s": 1e9 / 8, "1000 KiB/s": 1024e3, "1000000 KiB/s": 1024e6},
    # zfs_nicenum in libzutil: K, M are powers of 1024, of operations, too
    "zpool iostat": {"Ki/s": 1024, "Mi/s": 2**20},
    # GNU du.1, -BM: units of 1048576 (du's own suffixes stand in `raw`)
    "cp": {"G": 2**30, "M": 2**20},
    # dbench.c: 1.0e-6 * total_bytes / t
    "dbench": {"MB/sec": 1e6},
    # obj_bencher.cc: divided by (1024 * 1024)
    "rados": {"MB/sec": 2**20},
    # results-definition.xml of fio-2.1.0: KiB/s / 1000
    "pts/fio": {"1000 KiB/s": 1024e3},
    # pveperf, test_read: divided by 1024 * 1024
    "pveperf": {"MB/sec": 2**20},
}
# Letters behind a figure in `raw`: bon_time.cpp (1024), num2str of fio's stat.c (1000), zfs_nicenum (in the unit already).
LETTERS = {"bonnie++": {"k": 1024, "m": 2**20, "g": 2**30}, "fio": {"k": 1e3, "K": 1e3, "M": 1e6}}
# num2str of fio 1.x puts commas between thousands, people do it in tables of iozone; neither prints a decimal comma
THOUSANDS = {"robocopy", "fio", "iozone"}
COMPUTED = {"dd"}  # what dd prints is rounded; the value is bytes / seconds, as where a unit says `s for 4096 B`
ROUGH = 1e-6


def values() -> list[tuple[str, dict]]:
    found: dict[tuple[object, ...], tuple[str, dict]] = {}
    for sample in outputs():
        for line in answer_of(sample).read_text().splitlines() if answer_of(sample).exists() else ():
            record = json.loads(line)
            if record["type"] == "measurement":
                key = (record["tool"], record["raw_unit"], record["unit"], re.sub(r"\d+", "9", record["raw"]))
                found.setdefault(key, (sample.name, record))
    return list(found.values())


CASES = [pytest.param(name, record, id=f"{record['tool']} {record['raw']} {record['raw_unit']}") for name, record in values()]


@pytest.mark.parametrize(("sample", "record"), CASES)
def test_a_value_is_what_was_printed_in_the_unit_that_the_tool_means(sample: str, record: dict) -> None:
    tool, unit, raw = record["tool"], record["raw_unit"], record["raw"]
    if tool in COMPUTED or unit.startswith("s for ") or record["origin"] in ("reported", "derived", "model"):
        return
    if record["unit"] == "s" and unit == "s":
        read = float(raw) if "e" in raw else numbers.parse_duration(raw)
        assert read == pytest.approx(record["value"], rel=ROUGH)
        return
    factor = OF_TOOLS.get(tool, {}).get(unit, GENERAL.get(unit))
    assert factor is not None, f"{sample}: say what {unit!r} of {tool} means, with the source"
    text, letter = re.fullmatch(r"(.*?[\d.])\s*([A-Za-z]*)", raw).groups()  # type: ignore[union-attr]
    scale = LETTERS.get(tool, {}).get(letter, 1)
    read = numbers.parse_number(text.replace(",", "") if tool in THOUSANDS else text)
    assert read is not None
    if tool == "rsync" and letter == "M" and unit == "bytes/sec":
        scale = 1e6
    assert read.value * scale * factor == pytest.approx(record["value"], rel=ROUGH)
