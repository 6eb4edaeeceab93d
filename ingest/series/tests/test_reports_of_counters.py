"""Tools that count events: where an output begins and ends, and what their rows are."""

from __future__ import annotations

import subprocess
import sys

import pytest

import ingest
from ingest.records import SeriesRecord, Warning

_LISTED = "nfs v3 client        total:     {total}\nnfs v3 client         read:     {read}\n"
_SERVER = """Server nfs v4 operations:
op0-unused       op1-unused       op2-future       access
0         0%     0         0%     0         0%     {access}       12%
"""
_HISTOGRAM = """tank         total_wait     disk_wait    syncq_wait    asyncq_wait
latency      read  write   read  write   read  write   read  write  scrub   trim
----------  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----
255us       {count}      3      2      9      0      0      0      0      0      0
"""
_LOCKS = """{event}: 7314 events in 5.018 seconds (1458 events/sec)

Count indv cuml rcnt     nsec Lock                   Caller
-------------------------------------------------------------------------------
 3612  49%  49% 0.00     4172 arc_mfu_lock           remove_reference+0x63
"""


def read(folder, text: str) -> tuple[dict[tuple[str, str], list[list[float]]], list[str]]:
    """((metric, subject) -> the values of each series; the codes of the warnings)."""
    path = folder / "log.txt"
    path.write_text(text)
    series: dict[tuple[str, str], list[list[float]]] = {}
    codes = []
    for record in ingest.read([path]):
        if isinstance(record, SeriesRecord):
            series.setdefault((record.metric, record.subject), []).append([v for _, values, _ in record.chunks() for v in values])
        elif isinstance(record, Warning):
            codes.append(record.code)
    return series, codes


@pytest.mark.parametrize("row", ["resultsfilewasarchivedonthestorageserverforlateruse1", "1" * 200 + "x", "1 0%" * 60 + "x"])
def test_a_row_that_does_not_fit_takes_no_exponential_time(row, tmp_path):
    path = tmp_path / "log.txt"
    reports = "".join(f"$ nfsstat -s\n{_SERVER.format(access=access)}" for access in (10, 12))
    path.write_text(f"{reports}Server nfs v3:\nnull getattr\n{row}\n")
    command = [sys.executable, "-m", "ingest", str(path)]
    answer = subprocess.run(command, timeout=60, check=False, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    assert "a row of server v3 that is not names or calls" in answer.stdout


@pytest.mark.parametrize("name", ["servop", "cback", "ops"])
def test_lists_of_the_operations_inside_compounds(name, tmp_path):
    row = f"nfs v4 {name}  delegreturn:     {{calls}}\n"
    series, _ = read(tmp_path, "".join(f"$ nfsstat -l -4\n{row.format(calls=calls)}" for calls in (4555, 4557)))
    assert series["nfs.operation.total", f"nfs v4 {name} delegreturn"] == [[4555, 4557]]


def test_names_of_operations_with_digits_and_hyphens(tmp_path):
    series, _ = read(tmp_path, "".join(f"$ nfsstat -s\n{_SERVER.format(access=access)}" for access in (10, 12)))
    assert series["nfs.operation.total", "server v4 operations access"] == [[10, 12]]


def test_a_row_of_a_section_that_is_not_read_is_warned_of(tmp_path):
    text = "".join(f"$ nfsstat -s\n{_SERVER.format(access=access)}" for access in (10, 12))
    _, codes = read(tmp_path, text + "Server nfs v3:\nnull GETATTR?\n0 1\n")
    assert codes.count("unread") == 1


def test_another_command_of_nfsstat_is_another_output(tmp_path):
    reports = _LISTED.format(total=9, read=4) + _LISTED.format(total=7, read=5)
    series, _ = read(tmp_path, f"$ nfsstat -l -Z1\n{reports}$ nfsstat -l -Z1\n{reports}")
    assert series["nfs.operation.count", "nfs v3 client read"] == [[4, 5], [4, 5]]


@pytest.mark.parametrize(("reads", "count"), [((50, 60, 3), 0), ((50, 60, 3, 9, 2, 8), 1)])
def test_calls_are_of_an_interval_only_where_they_went_down_more_than_once(reads, count, tmp_path):
    series, codes = read(tmp_path, "".join(_LISTED.format(total=2 * read, read=read) for read in reads))
    assert len(series.get(("nfs.operation.count", "nfs v3 client read"), [])) == count
    assert ("unknown-unit" in codes) == (count == 0)


def test_another_command_of_zpool_iostat_is_another_output(tmp_path):
    reports = "".join(_HISTOGRAM.format(count=count) for count in (900, 5))
    series, codes = read(tmp_path, f"# zpool iostat -w tank 5 2\n{reports}# zpool iostat -w tank 5 2\n{reports}")
    assert series["pool.read.wait.total.count", "tank 255us"] == [[5], [5]]
    assert codes.count("since-boot") == 2


@pytest.mark.parametrize(
    ("event", "kind"), [("Spin lock hold", "hold"), ("Spin lock spin", "spin"), ("R/W writer blocked by readers", "block")]
)
def test_kinds_of_locks(event, kind, tmp_path):
    series, _ = read(tmp_path, f"# lockstat sleep 5\n{_LOCKS.format(event=event)}")
    assert {metric for metric, _ in series} == {f"lock.{kind}.rate", f"lock.{kind}.count", f"lock.{kind}.latency"}


@pytest.mark.parametrize("options", ["-D 20", "-n 100000"])
def test_lockstat_has_no_interval(options, tmp_path):
    text = f"# lockstat {options} sleep 5\n" + _LOCKS.format(event="Adaptive mutex spin") * 2
    series, codes = read(tmp_path, text)
    assert series["lock.spin.count", "Adaptive mutex spin/arc_mfu_lock remove_reference+0x63"] == [[3612, 3612]]
    assert "no-clock" in codes


_IOSTAT = "Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn\nsda  {tps}.00  0.00  4.00  0  4\n\n"


def test_prose_below_a_report_of_iostat_is_no_device(tmp_path):
    text = f"$ iostat -d 1 2\n{_IOSTAT.format(tps=1)}{_IOSTAT.format(tps=2)}"
    series, codes = read(tmp_path, text + "the whole run of all the disks took about 12\n")
    assert series["disk.rate", "sda"] == [[2]]
    assert {subject for _, subject in series} == {"sda"}
    assert "bad-cell" not in codes


_VMSTAT = """{date}
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 9  0      0 8000000  1000  2000    0    0     9     9    9    9  9  9 82  0  0
 {running}  0      0 8000000  1000  2000    0    0     1     1    1    1  1  1 98  0  0
"""


@pytest.mark.parametrize("command", ["", "$ for i in 1 2 3; do date; vmstat 1 2; done\n"])
def test_a_date_before_the_titles_of_vmstat_begins_an_output(command, tmp_path):
    dates = (f"Tue Nov 24 13:0{minute}:00 UTC 2026" for minute in range(3))
    text = "".join(_VMSTAT.format(date=date, running=at) for at, date in enumerate(dates, 1))
    series, codes = read(tmp_path, command + text)
    assert series["process.running", ""] == [[1], [2], [3]]
    assert codes.count("since-boot") == 3


def test_unix_times_that_go_back_begin_another_series(tmp_path):
    head = "Linux 6.1.0 (alpha) \t11/24/26 \t_x86_64_\t(2 CPU)\n\n"
    head += "# Time        UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
    rows = "".join(
        f"{time}     0      77    {usr}.00    0.00    0.00    0.00    {usr}.00     1  fio\n"
        for time, usr in ((1795525620, 1), (1795525621, 2), (1795525600, 3), (1795525601, 4))
    )
    series, codes = read(tmp_path, head + rows)
    assert [[1, 2], [3, 4]] in series.values()
    assert "clock-set" in codes


@pytest.mark.parametrize(("second", "values"), [("500, 150, 900, 0, 0, 0, 0", [1, 150]), ("500, 150, 0, 0, 0, 0, 0", None)])
def test_the_form_of_a_fio_log_is_that_of_the_first_unambiguous_row(second, values, tmp_path):
    path = tmp_path / "j_iops.1.log"
    path.write_text(f"0, 1, 1, 0, 0, 0, 0\n{second}\n")
    found = {
        record.metric: [v for _, vs, _ in record.chunks() for v in vs]
        for record in ingest.read([path])
        if isinstance(record, SeriesRecord)
    }
    assert found == ({"io.read.rate": values} if values else {"io.write.rate": [1], "io.read.rate": [150]})
