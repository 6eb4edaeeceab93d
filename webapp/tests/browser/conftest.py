"""A real browser on a real server: script/supervise.py with its database and worker, and Debian's Chromium."""

from __future__ import annotations

import io
import os
import re
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect

from webapp.tests.browser.three_systems import STUDY, make
from webapp.tests.serving import PATIENCE, ROOT, Server, data_folder, manage

# Playwright keeps an event loop in this thread; Django would then refuse its database to all tests that follow.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
LINE = (
    "1.98,2.00a,vm,1,0,2G,,8192,5,,,{write},15,{rewrite},9,,,{read},20,812.5,3,16,,,,,7587,19,14210,31,11561,19,"
    "6340,22,15011,30,9440,15,,85127us,391ms,,138us,70379us,20615us,6210us,6469us,22376us,3278us,13942us"
)
CONTEXT = {
    "uname-a.txt": "Linux vm 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01) x86_64 GNU/Linux\n",
    "os-release": 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nNAME="Debian GNU/Linux"\nVERSION_ID="12"\nID=debian\n',
}
# KiB/s of three repetitions: write, rewrite, read. 100352 KiB/s are 98 MiB/s.
MEASURED = {
    "off": [(99328, 51200, 204800), (100352, 52224, 205824), (101376, 53248, 206848)],
    "lz4": [(150528, 81920, 307200), (151552, 82944, 308224), (152576, 83968, 309248)],
    "gzip-6": [(40960, 20480, 102400), (41984, 21504, 103424), (43008, 22528, 104448)],
}


def bench_csv() -> str:
    """Label lines and CSV lines of bonnie++, as a shell loop collects them."""
    lines = []
    for compression, runs in MEASURED.items():
        for write, rewrite, read in runs:
            lines.append(f"atime=off dedup=off compression={compression}")
            lines.append(LINE.format(write=write, rewrite=rewrite, read=read))
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="session")
def upload_me() -> Path:
    """A tar.gz as somebody would have it: bench.csv and what tells the machine."""
    folder = Path(tempfile.mkdtemp(prefix="pm-browser-"))
    target = folder / "sweep.tar.gz"
    with tarfile.open(target, "w:gz") as tar:
        for name, text in {"bench.csv": bench_csv(), **CONTEXT}.items():
            data = text.encode()
            entry = tarfile.TarInfo(f"sweep/{name}")
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    yield target
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def server() -> Server:
    """One copy for all browser tests, with one shipped study in it."""
    data = data_folder()
    copy = Server(data, "--empty")
    try:
        copy.wait_ready()
        done = manage(data, "ingest", str(ROOT / "fixtures" / "zfs-compression"))
        assert done.returncode == 0, done.stdout + done.stderr
        yield copy
    finally:
        if copy.process.poll() is not None:
            print(f"the server ended by itself: {copy.said}{copy.logs()}")
        copy.close()
        shutil.rmtree(data, ignore_errors=True)


@pytest.fixture(scope="session")
def shipped() -> Iterator[Server]:
    """A copy with every study of fixtures/, but without the permalinks that a first start freezes of them."""
    data = data_folder()
    copy = Server(data, "--empty")
    try:
        copy.wait_ready()
        done = manage(data, "ingest", *sorted(str(one) for one in (ROOT / "fixtures").iterdir() if one.is_dir()))
        assert done.returncode == 0, done.stdout + done.stderr
        numbers = sorted(set(re.findall(r"/archives/(\d+)", done.stdout)))
        code = f"from django.core.management import call_command\nfor number in {numbers}: call_command('accept', number)"
        accepted = manage(data, "shell", "--no-imports", "-c", code)
        assert accepted.returncode == 0, accepted.stdout + accepted.stderr
        yield copy
    finally:
        copy.close()
        shutil.rmtree(data, ignore_errors=True)


@pytest.fixture(scope="session")
def base_url(server: Server) -> str:
    return f"http://127.0.0.1:{server.port}"


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict) -> dict:
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    assert path, "the browser tests need Chromium; on Debian: apt-get install chromium"
    return {**browser_type_launch_args, "executable_path": path, "args": FLAGS}


@pytest.fixture(scope="session")
def browser(browser: Browser) -> Browser:
    """With pages that wait as long as the servers are waited for: a busy machine says nothing about the code."""
    expect.set_options(timeout=1000 * PATIENCE)
    make = browser.new_context

    def new_context(**told):
        context = make(**told)
        context.set_default_timeout(1000 * PATIENCE)
        return context

    browser.new_context = new_context
    return browser


class Lasting:
    """A page that many tests use one after the other: a new one costs three times what it costs to load it again."""

    def __init__(self, make: Callable[[], BrowserContext]) -> None:
        self.make = make
        self.page: Page | None = None

    def get(self) -> Page:
        if self.page is None:
            self.page = self.make().new_page()
        return self.page

    def clean(self) -> None:
        """Leave nothing of a test to the next one; a page that cannot be cleaned is thrown away."""
        page, self.page = self.page, None
        if page is None:
            return
        try:
            page.unroute_all(behavior="ignoreErrors")
            page.evaluate("location.origin === 'null' || (localStorage.clear(), sessionStorage.clear())")
            page.goto("about:blank")
            page.context.clear_cookies()
            page.context.clear_permissions()
            page.set_viewport_size({"width": 1280, "height": 720})
            page.emulate_media(media="null", color_scheme="light", reduced_motion="reduce", forced_colors="null", contrast="null")
        except Error:
            page.context.close()
        else:
            self.page = page


@pytest.fixture(scope="session")
def lasting(browser: Browser, base_url: str) -> Iterator[Lasting]:
    kept = Lasting(lambda: browser.new_context(base_url=base_url, reduced_motion="reduce"))
    yield kept
    if kept.page is not None:
        kept.page.context.close()


@pytest.fixture
def lasting_page(lasting: Lasting) -> Iterator[Page]:
    """As good as a new page, but for the browser's cache. A module whose tests do without a cold one calls it `page`."""
    yield lasting.get()
    lasting.clean()


@pytest.fixture(scope="session")
def sign_in(server: Server) -> Callable[[Page], Page]:
    """Signs the reader of a page in as the owner, by a link, as a person does."""
    links = sign_in_links(server)

    return lambda page: sign_in_by(page, f"http://127.0.0.1:{server.port}{next(links)}")


def sign_in_by(page: Page, link: str) -> Page:
    page.goto(link)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/")
    return page


def sign_in_links(server: Server) -> Iterator[str]:
    """Paths that work once each: the first by the command that a person would use, the others many at a time."""
    yield manage(server.data, "sign_in_link").stdout.split()[-1]
    code = "from webapp.accounts import sign_in_links as s; print(*(s.make_token(s.local_owner()) for _ in range(40)))"
    while True:
        for secret in manage(server.data, "shell", "-v", "0", "-c", code).stdout.split():
            yield f"/sign-in/{secret}"


@pytest.fixture
def signed_in(page: Page, sign_in) -> Page:
    """A page whose reader is the owner."""
    return sign_in(page)


@pytest.fixture(scope="session")
def frozen(browser: Browser, base_url: str, sign_in) -> Iterator[str]:
    """The address of a permalink that the owner froze on the comparison page; one for all tests that read it."""
    context = browser.new_context(base_url=base_url)
    page = sign_in(context.new_page())
    page.goto("/compare?metric=write.throughput&x=compression", wait_until="networkidle")
    if not page.get_by_label("Title").is_visible():
        page.get_by_role("button", name="Freeze").first.click()
    page.get_by_label("Title").fill("Compression of a pool")
    page.locator("#freeze form button").click()
    page.wait_for_url("**/p/*")
    yield page.url
    context.close()


@pytest.fixture(scope="session")
def three_systems(server: Server, tmp_path_factory) -> str:
    """The name of the constructed study, in the shared copy."""
    done = manage(server.data, "ingest", str(make(tmp_path_factory.mktemp("three-systems"))))
    assert done.returncode == 0, done.stdout + done.stderr
    return STUDY


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args):
    """Without transitions: half-way between two themes a colour has no contrast to measure."""
    return {**browser_context_args, "reduced_motion": "reduce"}
