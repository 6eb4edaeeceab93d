"""A transcript that goes from one host to another, and the prompts that tell it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest import read
from ingest.records import Measurement, Warning
from ingest.tests.whole import read_file_records
from ingest.text.commands import find_commands
from ingest.text.lines import Text
from ingest.transcript.hosts import expand_host_list

TWO_HOSTS = """\
root@truenas[~]# uname -a
Linux truenas 5.15.79+truenas #1 SMP Mon Apr 10 14:00:27 UTC 2023 x86_64 GNU/Linux
root@truenas[~]# zfs set compression=off tank/bench
root@truenas[~]# dd if=/dev/zero of=/mnt/tank/bench/f bs=1M count=65536
65536+0 records in
65536+0 records out
68719476736 bytes (69 GB, 64 GiB) copied, 121.113 s, 567 MB/s
root@truenas[~]# ssh nas2
[admin@nas2 ~]$ uname -a
FreeBSD nas2 13.1-RELEASE-p7 FreeBSD 13.1-RELEASE-p7 n245428-4dfb91682c1 GENERIC amd64
[admin@nas2 ~]$ zfs get compression,recordsize zroot/data
NAME        PROPERTY     VALUE           SOURCE
zroot/data  compression  lz4             inherited from zroot
zroot/data  recordsize   1M              local
[admin@nas2 ~]$ dd if=/dev/zero of=/zroot/data/f bs=1m count=1024
1024+0 records in
1024+0 records out
1073741824 bytes transferred in 0.711233 secs (1509690783 bytes/sec)
[admin@nas2 ~]$ exit
root@truenas[~]# dd if=/mnt/tank/bench/f of=/dev/null bs=1M
65536+0 records in
65536+0 records out
68719476736 bytes (69 GB, 64 GiB) copied, 111.113 s, 618 MB/s
"""

A_SERVER_AND_ITS_CLIENT = """\
[root@server ~]# uname -sr
Linux 4.18.0
[root@server ~]# zfs get recordsize tank
NAME  PROPERTY    VALUE    SOURCE
tank  recordsize  1M       local
[root@client ~]# dd if=/dev/zero of=/mnt/f bs=1M count=1024
1024+0 records in
1024+0 records out
1073741824 bytes (1.1 GB, 1.0 GiB) copied, 4.26588 s, 252 MB/s
"""


UNAME_ABOVE_TWO_HOSTS = """\
Linux shelf.example.org 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01) x86_64 GNU/Linux
me@shelf:~$ dd if=/dev/zero of=f bs=1M count=1024
1024+0 records in
1024+0 records out
1073741824 bytes (1.1 GB, 1.0 GiB) copied, 4.26588 s, 252 MB/s
me@guest:~$ dd if=/dev/zero of=f bs=1M count=1024
1024+0 records in
1024+0 records out
1073741824 bytes (1.1 GB, 1.0 GiB) copied, 8.26588 s, 130 MB/s
"""


def _configurations(text: str, folder: Path) -> list[dict[str, object]]:
    (folder / "log.txt").write_text(text)
    found = [one for one in read([str(folder / "log.txt")]) if isinstance(one, Measurement)]
    return [dict(one.config) for one in found if one.metric.endswith(".throughput")]


def it_keeps_what_each_host_tells_of_itself(tmp_path: Path) -> None:
    first, second, third = _configurations(TWO_HOSTS, tmp_path)
    assert (first["host"], first["os.family"], first["pool.compression"]) == ("truenas", "Linux", "off")
    assert "pool.recordsize" not in first
    assert (second["host"], second["os.family"], second["pool.compression"]) == ("nas2", "FreeBSD", "lz4")
    assert second["pool.recordsize"] == 1 << 20
    assert (third["host"], third["kernel"], third["pool.compression"]) == ("truenas", "5.15.79+truenas", "off")


def it_gives_the_greeting_of_a_login_to_the_host_that_was_logged_in_to(tmp_path: Path) -> None:
    text = "ann@laptop:~$ uname -r\n6.1.0-13-amd64\nann@laptop:~$ ssh store\nLinux store 5.10.0-21-amd64 #1 SMP x86_64\n"
    text += "ann@store:~$ dd if=/dev/zero of=/tank/t bs=1M count=1024\n" + _dd("4.1 s") + "ann@store:~$ exit\nlogout\n"
    text += "ann@laptop:~$ dd if=/dev/zero of=/srv/t bs=1M count=1024\n" + _dd("9.1 s")
    assert [(one["host"], one["kernel"]) for one in _configurations(text, tmp_path)] == [
        ("store", "5.10.0-21-amd64"),
        ("laptop", "6.1.0-13-amd64"),
    ]


def it_lends_a_servers_pool_to_a_client_that_tells_none(tmp_path: Path) -> None:
    (only,) = _configurations(A_SERVER_AND_ITS_CLIENT, tmp_path)
    assert (only["host"], only["pool.recordsize"]) == ("client", 1 << 20)
    assert "kernel" not in only


def it_gives_a_uname_above_all_prompts_to_the_host_that_it_names(tmp_path: Path) -> None:
    first, second = _configurations(UNAME_ABOVE_TWO_HOSTS, tmp_path)
    assert (first["host"], first["kernel"]) == ("shelf.example.org", "6.1.0-18-amd64")
    assert second == {"host": "guest"}


@pytest.mark.parametrize(
    ("line", "host", "cwd", "command"),
    [
        ("root@truenas[~]# dd if=x of=y", "truenas", "~", "dd if=x of=y"),
        ("root@truenas[/mnt/tank/a b]# zfs get all", "truenas", "/mnt/tank/a b", "zfs get all"),
        ("[root@freenas] /mnt/tank# time cp a b", "freenas", "/mnt/tank", "time cp a b"),
        ("[root@freenas ~]# dd if=x of=y", "freenas", "~", "dd if=x of=y"),
        ("[root@esxi:/vmfs/volumes] time cp a b", "esxi", "/vmfs/volumes", "time cp a b"),
        ("linux-abc:~ # dd if=x of=y", "linux-abc", "~", "dd if=x of=y"),
        ("[/share/CACHEDEV1_DATA] # time cp a b", None, "/share/CACHEDEV1_DATA", "time cp a b"),
        ("ash-4.4# dd if=x of=y", None, None, "dd if=x of=y"),
        ("└─$ dd if=x of=y", None, None, "dd if=x of=y"),
        ("╰─➤  dd if=x of=y", None, None, "dd if=x of=y"),
    ],
)
def it_knows_a_prompt(line: str, host: str | None, cwd: str | None, command: str) -> None:
    (found,) = find_commands(Text("t", [line], line))
    assert (found.host, found.cwd, found.text) == (host, cwd, command)


@pytest.mark.parametrize("line", ["someone@example.org wrote:", "mail me at a@b.de [see # below] thanks", "a@b (c) $5 per GB"])
def it_takes_no_address_for_a_prompt(line: str) -> None:
    assert find_commands(Text("t", [line], line)) == []


def _dd(took: str) -> str:
    rate = 1073.741824 / float(took.split()[0])
    return f"1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, {took}, {rate:.0f} MB/s\n"


UNAME = "Linux {} {} #1 SMP Fri Jul 10 00:24:02 UTC 2020 x86_64 x86_64 x86_64 GNU/Linux\n"


def _both(form: str) -> str:
    """What two hosts print, told apart by that line before each."""
    told = [(UNAME.format("node01", "5.4.0-42"), _dd("4.2 s")), (UNAME.format("node02", "4.18.0"), _dd("9.1 s"))]
    return "".join(form.format(f"node0{at}") + part for parts in zip(*told, strict=True) for at, part in enumerate(parts, 1))


@pytest.mark.parametrize(
    "form",
    [
        "{} | CHANGED | rc=0 >>\n",
        "---------------\n{}\n---------------\n",
        "----------------\n{}\n----------------\n",
        "[1] 13:45:10 [SUCCESS] root@{}:22\n",
        "changed: [{}] => {{\n",
        "=== {} ===\n",
        "##### {} #####\n",
        "$ ssh -p 2222 root@{} run\n",
        "$ exit\n$ ssh {}\n$ run\n",
        "root@controller:~# ssh {} 'cd /tank && run'\n",
    ],
)
def it_tells_the_hosts_of_banners_and_of_ssh_apart(form: str, tmp_path: Path) -> None:
    first, second = _configurations(_both(form), tmp_path)
    assert (first["host"], first["kernel"]) == ("node01", "5.4.0-42")
    assert (second["host"], second["kernel"]) == ("node02", "4.18.0")


def it_ends_a_remote_command_with_the_next_prompt(tmp_path: Path) -> None:
    run = "$ dd if=/dev/zero of=f\n"
    text = f"$ uname -sr\nLinux 6.1.0\n$ ssh nas2 {run[2:]}{_dd('2.0 s')}{run}{_dd('3.0 s')}"
    there, here = _configurations(text, tmp_path)
    assert there == {"host": "nas2"}
    assert here["kernel"] == "6.1.0" and "host" not in here


def it_takes_a_pipe_over_ssh_for_work_of_both(tmp_path: Path) -> None:
    (here,) = _configurations("me@a:~$ ssh b cat f | dd of=/tank/f\n" + _dd("2.0 s"), tmp_path)
    assert here["host"] == "a"


def it_reads_the_name_that_hostname_prints(tmp_path: Path) -> None:
    run = "$ dd if=/dev/zero of=f bs=1M count=1024\n"
    first, second = _dd("2.0 s"), _dd("3.0 s")
    text = f"$ uname -sr\nLinux 6.1.0\n$ hostname\nalpha\n{run}{first}$ ssh beta\n$ hostname -s\nbeta\n{run}{second}"
    alpha, beta = _configurations(text, tmp_path)
    assert (alpha["host"], alpha["kernel"]) == ("alpha", "6.1.0")
    assert beta == {"host": "beta"}


@pytest.mark.parametrize("order", ["111222", "121212", "122112"])
def it_reads_each_hosts_lines_by_themselves(order: str, tmp_path: Path) -> None:
    lines = {"1": iter(_dd("4.2 s").splitlines()), "2": iter(_dd("9.1 s").splitlines())}
    command = "$ pdsh -w node0[1-2] dd if=/dev/zero of=/tank/f bs=1M count=1024\n"
    (tmp_path / "log.txt").write_text(command + "".join(f"node0{at}: {next(lines[at])}\n" for at in order))
    found = list(read([str(tmp_path / "log.txt")]))
    told = {(one.config["host"], one.raw) for one in found if isinstance(one, Measurement) and one.metric == "write.elapsed"}
    assert told == {("node01", "4.2"), ("node02", "9.1")}
    assert not any(isinstance(one, Warning) for one in found)


@pytest.mark.parametrize("between", ["lz4", "gzip-6", "run-2", "Results", "Debian 12"])
def it_takes_no_title_between_rules_for_a_host(between: str, tmp_path: Path) -> None:
    rule = "-" * 15
    (one,) = _configurations(f"{rule}\n{between}\n{rule}\n{_dd('2.0 s')}", tmp_path)
    assert "host" not in one


@pytest.mark.parametrize(
    ("titles", "hosts"),
    [
        (("node01", "node02"), True),
        (("oss-1.lan", "oss-2.lan"), True),
        (("client3", "client4"), True),
        (("node4", "node8"), False),
        (("node1", "node2"), False),
        (("run1", "run3"), False),
        (("raid10", "raid5"), False),
        (("zstd-3", "zstd-9"), False),
        (("ext4", "disk3"), False),
    ],
)
def it_takes_titles_of_a_loop_over_hosts_for_hosts(titles: tuple[str, str], hosts: bool, tmp_path: Path) -> None:
    parts = [f"=== {title} ===\n{_dd(took)}" for title, took in zip(titles, ("2.0 s", "3.0 s"), strict=True)]
    found = [one.get("host") for one in _configurations("".join(parts), tmp_path)]
    assert found == (list(titles) if hosts else [None] * len(found))


@pytest.mark.parametrize(
    ("hosts", "front", "told"),
    [
        (("alpha", "beta"), "", True),
        (("alpha", "beta"), "$ pdsh -w alpha,beta dd if=/dev/zero of=/tank/f\n", True),
        (("alpha", "beta"), "Both at once.\n", False),
        (("read", "write"), "", False),
    ],
)
def it_reads_the_lines_of_hosts_named_by_letters(hosts: tuple[str, str], front: str, told: bool, tmp_path: Path) -> None:
    both = zip(_dd("4.2 s").splitlines(), _dd("9.1 s").splitlines(), strict=True)
    text = front + "".join(f"{host}: {line}\n" for lines in both for host, line in zip(hosts, lines, strict=True))
    found = [one.get("host") for one in _configurations(text, tmp_path)]
    assert (found == list(hosts)) is told


def it_lists_the_hosts_of_a_range() -> None:
    assert expand_host_list("node[08-10,12],nas") == {"node08", "node09", "node10", "node12", "nas"}


@pytest.mark.parametrize(
    ("line", "host"),
    [
        ("    user@box1:~$ dd if=/dev/zero of=x", "box1"),
        ("\t[root@box1 ~]# zpool status", "box1"),
        ("  root@box1:/mnt/tank# iozone -a", "box1"),
        ("    root@box1 ~ # time cp a b", "box1"),
        ("    (base) user@box1:~$ ./run.sh", "box1"),
        ("    box1:~ joe$ hdparm -t /dev/sda", "box1"),
        ("    box1:/tank # bonnie++ -d .", "box1"),
        ("    box1# uname -a", "box1"),
        ("    git@example.org:bench/tools.git # where they come from", None),
        ("    joe@example.org: who wrote # it", None),
        ("    about 50% find it slow", None),
        ("    volume# of the disk", None),
    ],
)
def test_a_prompt_further_in_names_its_host_where_a_known_command_follows(line, host):
    shown = find_commands(Text("t", lines := ["As seen here:", "", line, "", "and so on."], "\n".join(lines)))
    assert [command.host for command in shown] == ([host] if host else [])


@pytest.mark.parametrize(
    ("shown", "host", "cwd", "command"),
    [
        ("┌──(kali㉿kali)-[~]\n└─$ dd if=a of=b", "kali", "~", "dd if=a of=b"),
        ("┌──(root💀BOX-61)-[/mnt]\n└─# rsync -a x y", "BOX-61", "/mnt", "rsync -a x y"),
        ("┌─[joe@box1]─[~]\n└──╼ $dd if=a of=b", "box1", "~", "dd if=a of=b"),
        ("╭─joe@box1 ~\n╰─$ time cp a b", "box1", None, "time cp a b"),
        ("box1 ~ # zpool status", "box1", "~", "zpool status"),
        ("    box1 / # dd if=a of=b", "box1", "/", "dd if=a of=b"),
        ("└─$ dd if=a of=b", None, None, "dd if=a of=b"),
    ],
)
def test_prompts_of_two_lines_and_of_gentoo(shown: str, host: str | None, cwd: str | None, command: str) -> None:
    (found,) = find_commands(Text("t", shown.split("\n"), shown))
    assert (found.host, found.cwd, found.text) == (host, cwd, command)


@pytest.mark.parametrize("line", ["ls / # find it", "cd ~ # sync it", "vim /etc/fstab # mount it there", "see /a # mount it"])
def test_a_command_with_a_remark_is_no_prompt_of_gentoo(line: str) -> None:
    assert find_commands(Text("t", [line], line)) == []


DISKS_OF_TWO = """\
me@laptop:~$ sudo hdparm -i /dev/sda

/dev/sda:

 Model=FUJITSU MHV2080BH                       , FwRev=00840028, SerialNo=NW05T6B29HM5
me@laptop:~$ sudo hdparm -t /dev/sda
/dev/sda:
 Timing buffered disk reads:   66 MB in  3.03 seconds =  21.79 MB/sec
root@nas:~# hdparm -t %s
%s:
 Timing buffered disk reads:  456 MB in  3.01 seconds = 151.48 MB/sec
"""


@pytest.mark.parametrize("device", ["/dev/md0", "/dev/sda"])
def it_keeps_that_disks_of_one_host_are_not_those_of_another(tmp_path: Path, device: str) -> None:
    found = _configurations(DISKS_OF_TWO % (device, device), tmp_path)
    assert [one.get("disk.model") for one in found] == ["FUJITSU MHV2080BH", None]


MEASURED = "root@%s:/%s# dd if=/dev/urandom of=t bs=1M count=2048\n2147483648 bytes (2.1 GB, 2.0 GiB) copied, %d.0 s, 215 MB/s\n"
SHOWN = "root@alpha:/tank# zfs get -H -o value compression tank\nlz4\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SHOWN + MEASURED % ("alpha", "tank", 10) + MEASURED % ("beta", "data", 10), ["lz4", None]),
        (SHOWN + MEASURED % ("beta", "mnt/tank", 10), ["lz4"]),  # may be its client
    ],
)
def test_a_pool_that_its_own_host_measured_is_not_that_of_another(tmp_path: Path, text: str, expected: list[str | None]) -> None:
    assert [one.get("pool.compression") for one in _configurations(text, tmp_path)] == expected


def it_does_not_know_the_hosts_of_a_loop_over_ssh(tmp_path: Path) -> None:
    output = (MEASURED % ("alpha", "tank", 10)).partition("\n")[2]
    text = f"me@laptop:~$ for h in n1 n2; do ssh $h 'dd if=/dev/urandom of=/srv/x bs=1M count=2048'; done\n{output}"
    assert "laptop" not in [one.get("host") for one in _configurations(text, tmp_path)]


@pytest.mark.parametrize("job", ["random-read-4k", "seq1", "vm.disk"])
@pytest.mark.parametrize("before", ["", "node1: "])
def it_takes_no_job_of_fio_for_a_host(job, before):
    output = (
        f"{job}: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1\n...\n"
        f"fio-3.19\nStarting 8 processes\n{f'{job}: Laying out IO file (1 file / 1024MiB){chr(10)}' * 8}\n"
        f"{job}: (groupid=0, jobs=8): err= 0: pid=15: Wed Dec 30 10:31:06 2020\n"
        "  read: IOPS=596, BW=2386KiB/s (2443kB/s)(23.3MiB/10001msec)\n\n"
        "Run status group 0 (all jobs):\n"
        "   READ: bw=2386KiB/s (2443kB/s), 2386KiB/s-2386KiB/s (2443kB/s-2443kB/s), io=23.3MiB (24.4MB), run=10-10msec\n"
    )
    text = "".join(f"{before}{line}\n" for line in output.splitlines())
    records = read_file_records("run.txt", text)
    measured = [one for one in records if isinstance(one, Measurement)]
    assert [(one.params["job"], one.params["processes"]) for one in measured] == [(job, 8)] * 3
    assert {one.config.get("host") for one in measured} == {before[:-2] or None}
    assert not [one.code for one in records if isinstance(one, Warning)]
