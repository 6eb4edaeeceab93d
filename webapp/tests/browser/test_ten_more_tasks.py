"""Ten more tasks, counted as those of `test_ten_tasks`: mine and theirs, before and after, which is best, and why not."""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from webapp.tests.browser import test_ten_tasks
from webapp.tests.browser.conftest import LINE
from webapp.tests.browser.test_ten_tasks import DRAWN, Person, signed_in
from webapp.tests.browser.test_whole_job import until
from webapp.tests.serving import ROOT

links, address, page, person = (getattr(test_ten_tasks, name) for name in ("links", "address", "page", "person"))
CLICKS = {11: 2, 12: 3, 13: 2, 14: 2, 15: 2, 16: 3, 17: 2, 18: 3, 19: 3, 20: 5}
"""Task -> clicks, at most five."""
DEBIAN = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nNAME="Debian GNU/Linux"\nVERSION_ID="12"\nID=debian\n'
FIO = ROOT / "fixtures" / "file-systems-by-four-tools" / "fio" / "xfs"


def bench(host: str, kibibytes: int, settings: str = "atime=off dedup=off compression=off") -> str:
    """Three runs of bonnie++ at about that many KiB/s."""
    lines = []
    for again in range(3):
        write = kibibytes + 700 * again
        lines += [settings, LINE.format(write=write, rewrite=write // 2, read=write * 2).replace("vm,", f"{host},")]
    return "\n".join(lines) + "\n"


def system(host: str, kernel: str = "6.1.0-18-amd64") -> dict[str, str]:
    return {"uname-a.txt": f"Linux {host} {kernel} #1 SMP PREEMPT_DYNAMIC x86_64 GNU/Linux\n", "os-release": DEBIAN}


def pool(host: str, vdevs: str, kibibytes: int) -> str:
    """A transcript: a pool is made and measured three times."""
    prompt, runs = f"root@{host}:~# ", bench(host, kibibytes).splitlines()[1::2]
    return "".join([f"{prompt}zpool create tank {vdevs}\n", *(f"{prompt}bonnie++ -d /tank -s 2G -q\n{line}\n" for line in runs)])


@pytest.fixture
def upload(page: Page, links, tmp_path: Path) -> Callable[[str, Mapping[str, str]], None]:
    """Uploads files as one archive of the owner, who is signed in at the first."""

    def upload(name: str, files: Mapping[str, str]) -> None:
        if not page.url.startswith("http"):
            signed_in(page, links)
        target = tmp_path / f"{name}.tar.gz"
        with tarfile.open(target, "w:gz") as tar:
            for path, text in files.items():
                entry = tarfile.TarInfo(f"{name}/{path}")
                entry.size = len(text.encode())
                tar.addfile(entry, io.BytesIO(text.encode()))
        page.goto("/upload")
        page.set_input_files("#files", str(target))
        page.get_by_role("button", name="Upload").click()
        expect(page.get_by_role("link", name="Compare these")).to_be_visible()

    return upload


def open_archive(person: Person, name: str) -> None:
    person.link("Archives")
    person.link(re.compile(f"^{name}"))
    person.page.wait_for_url(re.compile(r"/archives/\d+$"))


def finish(person: Person, task: int) -> None:
    print(f"task {task}: {person.clicks} clicks: {' > '.join(person.way)}")
    assert person.clicks == CLICKS[task] <= 5


def test_11_mine_beside_the_published(page: Page, upload):
    upload("beside", {"bench.csv": bench("stor11", 98_000), **system("stor11")})
    person = Person(page)
    open_archive(person, "beside")
    nearest = page.get_by_role("region", name=re.compile("beside the nearest published run"))
    expect(nearest).to_contain_text("Published on")
    until(
        page, "[...document.querySelectorAll('canvas[data-figure]')].some(one => one.chart && one.state.figure.groups.length > 1)"
    )
    expect(nearest.locator("canvas")).to_have_accessible_name(re.compile("."))
    finish(person, 11)


def upgrade(upload, host: str) -> None:
    upload(f"{host}-before", {"bench.csv": bench(host, 98_000), **system(host)})
    upload(f"{host}-after", {"bench.csv": bench(host, 74_000), **system(host, "6.12.9-amd64")})


def test_12_before_against_after_an_upgrade(page: Page, upload):
    upgrade(upload, "stor12")
    person = Person(page)
    open_archive(person, "stor12-after")
    person.link(re.compile("earlier upload of this machine"))
    page.wait_for_url("**/versus?**")
    row = page.get_by_role("row").filter(has_text="Sequential write").first
    expect(row).to_contain_text(re.compile(r"73\.|74\.|72\."))
    expect(row).to_contain_text(re.compile(r"2\d(\.\d)?\s%"))
    finish(person, 12)


def test_13_which_is_best_for_small_files(person: Person):
    person.search("which is best for small files")
    until(person.page, DRAWN)
    expect(person.page.locator("#compare-title")).to_contain_text("File creation")
    assert person.page.locator(".figure-table tbody tr").count() > 1
    expect(person.page.locator("#sentence")).to_contain_text(re.compile(r"off|lzo|zstd|ext4|xfs|btrfs"))
    finish(person, 13)


def test_14_freebsd_against_linux_on_one_machine(person: Person):
    person.search("FreeBSD against Linux")
    until(person.page, DRAWN)
    rows = person.page.locator(".figure-table tbody tr").all_inner_texts()
    assert {row.split()[0] for row in rows} >= {"FreeBSD", "Linux"}
    finish(person, 14)


def test_15_p99_of_4k_random_read_at_depth_1(person: Person):
    person.search("p99 of 4k random read at depth 1")
    until(person.page, DRAWN)
    title = person.page.locator("#compare-title")
    expect(title).to_contain_text("Random read")
    expect(title).to_contain_text("p99")
    expect(title).to_contain_text("4 KiB")
    expect(person.page.locator("main")).to_contain_text(re.compile("queue depth 1", re.IGNORECASE))
    finish(person, 15)


def test_16_is_my_nvme_normal(page: Page, upload):
    files = {name: (FIO / name).read_text() for name in ("seqread.json", "seqwrite.json", "mount.txt", "free-m.txt", "os-release")}
    files["lsblk.txt"] = "NAME    MAJ:MIN RM  SIZE RO TYPE MOUNTPOINTS\nnvme0n1 259:0    0  256G  0 disk /mnt/bench\n"
    files["mount.txt"] = files["mount.txt"].replace("/dev/loop0", "/dev/nvme0n1")
    files["lscpu.txt"] = (FIO / "lscpu.txt").read_text().replace("AMD EPYC\n", "AMD EPYC 9354 32-Core Processor\n")
    files["uname-a.txt"] = (FIO / "uname-a.txt").read_text().replace(" vm ", " stor16 ")
    files["seqread.json"] += "\n"
    files["seqwrite.json"] += "\n"
    upload("nvme", files)
    person = Person(page)
    open_archive(person, "nvme")
    person.link("Is it normal?")
    page.wait_for_url("**/normal?**")
    expect(page.locator("main")).to_contain_text(re.compile(r"\b(1st|2nd|3rd|\dth) of \d+ systems"))
    finish(person, 16)


def test_17_what_does_lz4_cost_anywhere(person: Person):
    person.search("what does lz4 cost")
    until(person.page, DRAWN)
    expect(person.page.locator("#sentence")).to_contain_text(re.compile(r"lz4.* than off|difference.* off", re.IGNORECASE))
    finish(person, 17)


def test_18_which_of_my_three_pools_is_best(page: Page, upload):
    pools = {"mirror": ("mirror sda sdb", 98_000), "stripe": ("sda sdb", 190_000), "raidz": ("raidz sda sdb sdc", 141_000)}
    upload("pools", {f"{name}.txt": pool("stor18", *facts) for name, facts in pools.items()} | system("stor18"))
    person = Person(page)
    open_archive(person, "pools")
    person.link("Compare these")
    until(page, DRAWN)
    rows = " ".join(page.locator(".figure-table tbody tr").all_inner_texts())
    assert all(layout in rows for layout in ("mirror(2)", "stripe(2)", "raidz1(3)"))
    expect(page.locator("#sentence")).to_contain_text("stripe(2)")
    finish(person, 18)


def test_19_what_changed_between_my_two_uploads(page: Page, upload):
    upgrade(upload, "stor19")
    person = Person(page)
    open_archive(person, "stor19-after")
    person.link(re.compile("earlier upload of this machine"))
    page.wait_for_url("**/versus?**")
    kernel = page.get_by_role("row").filter(has_text="6.12.9-amd64").first
    expect(kernel).to_be_visible()
    expect(kernel).to_contain_text("6.1.0-18-amd64")
    finish(person, 19)


def test_20_why_is_my_run_not_in_the_figure(page: Page, upload):
    upload("absent", {"bench.csv": bench("stor20", 98_000), **system("stor20")})
    person = Person(page)
    open_archive(person, "absent")
    person.link("All runs")
    person.click(page.locator("main tbody th a").first)
    page.wait_for_url(re.compile(r"/runs/\d+$"))
    person.link(re.compile("Is Sequential write.* in the figure"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Is this run in the figure?")
    expect(page.locator("main")).to_contain_text(re.compile(r"is not public: only you see it"))
    expect(page.locator("main")).to_contain_text(re.compile("Not in this figure, because:.*not ", re.DOTALL))
    finish(person, 20)


def test_what_do_others_get_with_this_cpu(page: Page):
    person = Person(page)
    person.link("Hardware")
    person.link("AMD EPYC")
    expect(page.get_by_role("heading", name="AMD EPYC", exact=True)).to_be_visible()
    expect(page.locator("svg.runs .runs-a").first).to_be_visible()
    print(f"{person.clicks} clicks: {' > '.join(person.way)}")
    assert person.clicks == 2
