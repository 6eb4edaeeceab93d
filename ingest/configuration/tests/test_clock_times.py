"""`date` at a prompt gives the start of the runs after it; the times of a clock that was set hold no longer."""

from __future__ import annotations

import pytest

from ingest.records import Measurement, Warning
from ingest.tests.whole import read_upload

DD = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB) copied, {} s, 429 MB/s\n"
RUN = "$ dd if=/tank/f of=/dev/null bs=1M\n" + DD.format(2)
AT_THREE = "2026-11-23T03:00:12"


def starts_of(files: dict[str, str]) -> list[str | None]:
    records = read_upload(files)
    return [one.started_at for one in records if isinstance(one, Measurement) and one.metric.endswith("throughput")]


@pytest.mark.parametrize(
    ("command", "printed", "expected"),
    [
        ("date", "Mon Nov 23 03:00:12 CET 2026", AT_THREE),
        ("date", "Mon 23 Nov 2026 03:00:12 AM CET", AT_THREE),
        ("date", "Mon Nov 23 12:00:12 AM -03 2026", "2026-11-23T00:00:12"),
        ("date", "Mo 23. Nov 03:00:12 CET 2026", AT_THREE),
        ("date", "lun. 23 nov. 2026 03:00:12 CET", AT_THREE),
        ("date", "mar. 03 mars 2026 03:00:12 CET", "2026-03-03T03:00:12"),
        ("date", "lundi 23 novembre 2026, 03:00:12 (UTC+0100)", AT_THREE),
        ("date", "2026年 11月 23日 月曜日 03:00:12 JST", AT_THREE),
        ("date -u", "Mon Nov 23 02:00:12 UTC 2026", "2026-11-23T02:00:12+00:00"),
        ("date -Is", "2026-11-23T03:00:12+01:00", AT_THREE),
        ("date --rfc-3339=seconds", "2026-11-23 03:00:12+01:00", AT_THREE),
        ("date +%F_%T", "2026-11-23_03:00:12", AT_THREE),
        ("date +%Y%m%d-%H%M%S", "20261123-030012", AT_THREE),
        ("date '+%d.%m.%Y %H:%M:%S'", "23.11.2026 03:00:12", AT_THREE),
        ("date +%F", "2026-11-23", "2026-11-23"),
        ("date -R", "Mon, 23 Nov 2026 03:00:12 +0100", AT_THREE),
        ("date +%s", "1795400412", "2026-11-23T02:20:12+00:00"),
        ('echo "start: $(date)"', "start: Mon Nov 23 03:00:12 CET 2026", AT_THREE),
        ("sudo zpool sync; date", "Mon Nov 23 03:00:12 CET 2026", AT_THREE),
        ("date -r /tank/f", "Mon Nov 23 03:00:12 CET 2026", None),
        ("date -d yesterday", "Mon Nov 23 03:00:12 CET 2026", None),
        ("date +%T", "03:00:12", None),
        ("stat -c %y /tank/f", "2026-11-23 03:00:12", None),
        ("date", "Mon Nov 31 03:00:12 CET 2026", None),
        ("date", "Mon Nov 23 2048 records", None),
    ],
)
def test_date_gives_the_start_of_the_runs_after_it(command, printed, expected):
    assert starts_of({"a.txt": f"{RUN}$ {command}\n{printed}\n{RUN}{RUN}"}) == [None, expected, expected]


def test_a_time_holds_up_to_the_next_one_of_date_or_of_a_tool():
    ior = "$ date\nMon Nov 23 05:00:00 CET 2026\n"
    assert starts_of({"a.txt": f"$ date\nMon Nov 23 03:00:12 CET 2026\n{RUN}{ior}{RUN}"}) == [AT_THREE, "2026-11-23T05:00:00"]


def test_one_command_may_print_times_between_its_runs():
    loop = "$ for i in 1 2; do date; dd if=/tank/f of=/dev/null bs=1M; done\n"
    outputs = "".join(f"Mon Nov 23 0{hour}:00:12 CET 2026\n{DD.format(hour)}" for hour in (3, 5))
    assert starts_of({"a.txt": loop + outputs}) == [AT_THREE, "2026-11-23T05:00:12"]


def test_another_host_has_a_clock_of_its_own():
    run = RUN.removeprefix("$ ")
    text = f"root@nas:~# date\nMon Nov 23 03:00:12 CET 2026\nroot@other:~# {run}root@nas:~# {run}"
    assert starts_of({"a.txt": text}) == [None, AT_THREE]


@pytest.mark.parametrize(
    ("command", "is_set"),
    [
        ("date -s '2026-11-24 03:00'\nTue Nov 24 03:00:00 CET 2026", True),
        ("sudo date --set=2026-11-24\nTue Nov 24 00:00:00 CET 2026", True),
        ("date 112403002026\nTue Nov 24 03:00:00 CET 2026", True),
        ("timedatectl set-time '2026-11-24 03:00:00'", True),
        ("hwclock --hctosys", True),
        ("ntpdate pool.ntp.org\n23 Nov 03:01:02 ntpdate[812]: step time server 192.0.2.1 offset 86400.12 sec", True),
        ("ntpdate pool.ntp.org\n23 Nov 03:01:02 ntpdate[812]: step time server 192.0.2.1 offset +0.612 sec", False),
        ("ntpdate pool.ntp.org\n23 Nov 03:01:02 ntpdate[812]: adjust time server 192.0.2.1 offset 0.012 sec", False),
        ("date\nSun Nov 22 03:00:12 CET 2026", True),
        ("date -d '2020-01-01'\nWed Jan  1 00:00:00 CET 2020", False),
        ("timedatectl set-timezone Europe/Berlin", False),
        ("hwclock --show\n2026-11-24 03:00:00.12+01:00", False),
    ],
)
def test_no_time_holds_from_a_clock_that_was_set_on(command, is_set):
    before, after = "$ date\nMon Nov 23 03:00:12 CET 2026\n", "$ date\nTue Nov 24 09:00:00 CET 2026\n"
    files = {"a.txt": f"{before}{RUN}$ {command}\n{after}{RUN}", "b.txt": f"$ date\nWed Nov 25 09:00:00 CET 2026\n{RUN}"}
    later = [None, None] if is_set else ["2026-11-24T09:00:00", "2026-11-25T09:00:00"]
    assert starts_of(files) == [AT_THREE, *later]
    codes = [one.code for one in read_upload(files) if isinstance(one, Warning) and one.file == "a.txt"]
    assert ("clock-set" in codes) == is_set


def test_the_clock_of_another_host_was_not_set():
    def run_on(host: str, date: str) -> str:
        return f"root@{host}:~# date\n{date}\nroot@{host}:~# {RUN.removeprefix('$ ')}"

    files = {
        "a.txt": f"root@one:~# date -s 2026-11-24\n{run_on('one', 'Tue Nov 24 00:00:03 CET 2026')}",
        "b.txt": run_on("two", "Wed Nov 25 09:00:00 CET 2026"),
    }
    assert starts_of(files) == [None, "2026-11-25T09:00:00"]


@pytest.mark.parametrize(("name", "told"), [("README.md", False), ("log.txt", True)])
def test_sections_of_a_readme_stand_in_any_order(name, told):
    later, earlier = (f"## Disk {day}\n\n$ date\nMon Nov {day} 03:00:12 CET 2026\n{RUN}\n" for day in (23, 16))
    records = read_upload({name: later + earlier.replace(DD.format(2), DD.format(3))})
    starts = [one.started_at for one in records if isinstance(one, Measurement) and one.metric.endswith("throughput")]
    assert starts == [AT_THREE, None if told else "2026-11-16T03:00:12"]
    assert any(one.code == "clock-set" for one in records if isinstance(one, Warning)) == told
