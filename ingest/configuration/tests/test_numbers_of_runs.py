"""Numbers in names of files that print no time: rounds, unless times beside them show that one setting ran wholly first."""

from __future__ import annotations

import pytest

import ingest
from ingest.records import Measurement

DD = "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 1.0473{0} s, 64.1 MB/s\n"
FIO = """write: (g=0): rw=write, bs=(R) 1024KiB-1024KiB, (W) 1024KiB-1024KiB, (T) 1024KiB-1024KiB, ioengine=psync, iodepth=1
fio-3.33
Starting 1 process

write: (groupid=0, jobs=1): err= 0: pid=2120{0}: Thu Nov 26 07:4{0}:40 2026
  write: IOPS=21{0}, BW=217MiB/s (227MB/s)(100MiB/461msec); 0 zone resets

Run status group 0 (all jobs):
  WRITE: bw=217MiB/s (227MB/s), 217MiB/s-217MiB/s (227MB/s-227MB/s), io=100MiB (105MB), run=461-461msec
"""


@pytest.mark.parametrize(
    ("timed", "untimed", "are_none"),
    [
        ("fio-a-1 fio-a-2 fio-b-1 fio-b-2", "dd-a-1 dd-b-1", True),
        ("fio-a-1 fio-b-1 fio-a-2 fio-b-2", "dd-a-1 dd-b-1", False),
        ("fio-a-1 fio-b-1 fio-b-2 fio-a-2", "dd-a-1 dd-b-1", False),
        ("fio-a-2 fio-b-2 fio-a-1 fio-b-1", "dd-a-1 dd-b-1", False),
        ("fio-a-1 fio-a-2", "dd-a-1 dd-b-1", False),
        ("fio-a-1 fio-a-2 fio-b-1 fio-b-2", "other/dd-a-1 other/dd-b-1", False),
        ("fio-a-1 fio-a-2 fio-b-1 fio-b-2", "dd-a dd-b", False),
        ("fio_ext41 fio_ext42 fio_xfs1 fio_xfs2", "dd_ext41 dd_xfs1", False),
        ("fio.a.1 fio.a.2 fio.b.1 fio.b.2", "dd.a.1 dd.b.1", True),
    ],
)
def test_a_number_is_no_round_where_times_beside_it_say_so(tmp_path, timed, untimed, are_none):
    for text, names in ((FIO, timed), (DD, untimed)):
        for number, name in enumerate(names.split()):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / f"{name}.txt").write_text(text.format(number))
    values = [record for record in ingest.read([tmp_path]) if isinstance(record, Measurement)]
    rounds = {tool: {one.params.get("round") for one in values if one.tool == tool} for tool in ("fio", "dd")}
    assert rounds == {"fio": {None}, "dd": {"none"} if are_none else {None}}
