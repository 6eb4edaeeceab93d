"""`poolmark` against a real server: login, push, versus, gate, and what it says where something is wrong."""

from __future__ import annotations

import json
import random
import stat
import tarfile
from pathlib import Path

import pytest

from client.tests.programs import PROGRAMS, Program, Site, dd_session, pythons, running_site, sessions
from webapp.tests import serving

BEFORE = {5: 400.0, 6: 404.0, 7: 396.0, 8: 402.0, 9: 399.0}
MEBIBYTE = 2**20


@pytest.fixture(scope="module")
def site():
    with running_site() as site:
        yield site


@pytest.fixture(scope="module")
def before(site: Site, tmp_path_factory) -> list[int]:
    """Five archives of one machine, a session each, with the label branch=main."""
    folder = tmp_path_factory.mktemp("before")
    program = site.program(folder / "home")
    made = [program.data("push", str(one), "--wait", "--label", "branch=main") for one in sessions(folder, BEFORE)]
    assert [archive["state"] for archive in made] == ["read"] * len(BEFORE)
    return [archive["id"] for archive in made]


@pytest.mark.parametrize("python", pythons())
def test_from_login_to_a_table_on_each_python(site: Site, tmp_path, python):
    program = site.program(tmp_path / "home", "push", python=python)
    token, program.token, program.url = program.token, "", ""
    said = program.run("login", site.url, "--token-stdin", stdin=f"{token}\n")
    assert said.returncode == 0 and said.stdout == "" and token not in said.stderr
    kept = program.home / ".config" / "poolmark" / "config.toml"
    assert token in kept.read_text() and stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert program.says("status") == f"{site.url}: API 1, the token is valid\n"
    rate = 300.0 + pythons().index(python)  # files of its own: those that were pushed before count there
    a, b = sessions(tmp_path / "results", {10: rate, 11: rate + 10})
    done = program.run("push", str(a), "--title", "Writes", "--description", "One disk.", "--label", "branch=x", "--wait")
    link = done.stdout.strip()
    assert done.returncode == 0 and link.startswith(f"{site.url}/archives/") and done.stdout.count("\n") == 1
    assert "8 values in 1 file." in done.stderr
    again = program.data("push", str(a))
    assert again["url"] == link and again["title"] == "Writes" and again["labels"] == {"branch": "x"}
    assert again["visibility"] == "private" and again["description"] == "One disk."
    other = program.says("push", str(b), "--wait").strip()
    card = program.data("versus", link, other)
    assert [line["metric"] for line in card["lines"] if line["tested"]] == ["write.throughput"]
    table = program.says("versus", link, other.rsplit("/")[-1])
    assert "write.throughput, dd, file_size 16 GiB" in table and " MiB/s  0.97x" in table and "\x1b" not in table
    program.says("logout")
    assert token not in kept.read_text()
    assert "no token" in program.says("status", code=1)


def test_a_token_goes_to_the_keyring_where_there_is_one(site: Site, tmp_path):
    program = site.program(tmp_path / "home")
    ring = tmp_path / "ring"
    (tmp_path / "ringed.py").write_text(
        "import keyring.backend, json, pathlib\n"
        f"PLACE = pathlib.Path({str(ring)!r})\n"
        "class Ring(keyring.backend.KeyringBackend):\n"
        "    priority = 9\n"
        "    def _all(self): return json.loads(PLACE.read_text()) if PLACE.exists() else {}\n"
        "    def get_password(self, service, name): return self._all().get(service + ' ' + name)\n"
        "    def set_password(self, service, name, word): PLACE.write_text(json.dumps({service + ' ' + name: word}))\n"
        "    def delete_password(self, service, name): PLACE.write_text('{}')\n"
    )
    program.more = {"PYTHON_KEYRING_BACKEND": "ringed.Ring", "PYTHONPATH": f"{program.environment['PYTHONPATH']}:{tmp_path}"}
    token, program.token = program.token, ""
    assert program.run("login", "--token-stdin", stdin=token).returncode == 0
    assert json.loads(ring.read_text()) == {f"poolmark {site.url}": token}
    assert token not in (program.home / ".config" / "poolmark" / "config.toml").read_text()
    assert "valid" in program.says("status")
    program.says("logout")
    assert ring.read_text() == "{}"


def test_the_same_files_are_the_same_archive_wherever_and_whenever(site: Site, tmp_path):
    program = site.program(tmp_path / "home")
    links = []
    for place, order in ((tmp_path / "one", 1), (tmp_path / "two", -1)):
        folder = place / "results"
        (folder / "deep").mkdir(parents=True)
        for name in ["run.txt", "deep/run.txt", "ä ö.txt"][::order]:
            (folder / name).write_text(dd_session(12, [200, 201, 202, len(name)]))
        (folder / "run.txt").chmod(0o600 if order == 1 else 0o755)
        (folder / "link").symlink_to(folder / "run.txt")
        done = program.run("push", "results", cwd=place)
        assert "link is left out: it is no regular file." in done.stderr
        links.append(done.stdout.strip())
    assert len(set(links)) == 1
    packed = site.server.get(f"/api/v1/archives/{links[0].rsplit('/')[-1]}", {"Authorization": f"Bearer {program.token}"})
    assert json.loads(packed[1])["name"] == "results.tar.gz"


def test_what_is_packed(tmp_path):
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    for name in ("x.txt", "y.txt"):
        (folder / name).write_text(name)
    program = Program(tmp_path)
    script = """
import json, pathlib, tarfile
from poolmark.packing import packed
found = []
for given in {!r}:
    with packed([pathlib.Path(one) for one in given]) as package:
        members = []
        if package.name.endswith(".tar.gz"):
            with tarfile.open(package.path) as tar:
                members = [(one.name, one.mtime, one.uid, one.uname, one.mode) for one in tar]
        found.append([package.name, package.path.read_bytes()[4:8].hex() if members else "", members])
print(json.dumps(found))
"""
    given = [["a/b/x.txt"], ["a"], ["a/b/x.txt", "a/b/y.txt"], [str(folder)], ["a/../a/b"]]
    plain = (0, 0, "", 0o644)

    def members(*names):
        return ["00000000", [[name, *plain] for name in names]]

    assert program.evaluate(script.format(given)) == [
        ["x.txt", "", []],
        ["a.tar.gz", *members("a/b/x.txt", "a/b/y.txt")],
        ["files.tar.gz", *members("x.txt", "y.txt")],
        ["b.tar.gz", *members("b/x.txt", "b/y.txt")],
        ["b.tar.gz", *members("b/x.txt", "b/y.txt")],
    ]


def large_archive(path: Path, size: int) -> Path:
    """A .tar with a transcript and bytes that do not compress."""
    path.parent.mkdir(parents=True, exist_ok=True)
    run, noise = path.with_suffix(".txt"), path.with_suffix(".bin")
    run.write_text(dd_session(13, [500, 501, 502, float(size % 97 + 400)]))
    noise.write_bytes(random.Random(size).randbytes(size))
    with tarfile.open(path, "w") as tar:
        tar.add(run, "run.txt")
        tar.add(noise, "noise.bin")
    return path


def test_a_large_push_goes_on_where_it_was_cut(site: Site, tmp_path):
    """The second run sends what the first one did not."""
    program = site.program(tmp_path / "home")
    archive = large_archive(tmp_path / "large.tar", 20 * MEBIBYTE)
    cut = """
import sys
from pathlib import Path
from poolmark import push
from poolmark.errors import SiteError
from poolmark.settings import find_site
sent = []
def tell(what, done, total):
    sent.append(done)
    if {limit} and done >= {limit}:
        raise SiteError("cut")
try:
    push.push(find_site(), [Path(sys.argv[1])], tell=tell)
except SiteError:
    pass
print([one // 2**20 for one in sent])
"""
    first = program.python_run("-c", cut.format(limit=9 * MEBIBYTE), str(archive))
    assert first.stdout == "[0, 8, 16]\n", first.stderr
    second = program.python_run("-c", cut.format(limit=0), str(archive))
    assert second.stdout == "[16, 20]\n", second.stderr
    memory = program.home / ".cache" / "poolmark" / "uploads"
    assert list(memory.iterdir()) == []
    found = program.data("push", str(archive), "--wait")
    assert found["size"] == archive.stat().st_size and found["counts"]["measurements"] == 8


def test_the_gate_by_claim_words(site: Site, before, tmp_path):
    program = site.program(tmp_path / "home")
    [worse], [same] = sessions(tmp_path / "worse", {20: 300.0}), sessions(tmp_path / "same", {21: 401.0})
    against = [word for number in before for word in ("--against", str(number))]
    summary = tmp_path / "summary.md"
    found = program.data("gate", str(worse), *against, "--worse-by", "10%", "--markdown", str(summary), code=1)
    assert not found["passed"] and [line["claim"] for line in found["failing"]] == ["worse than before"]
    text = summary.read_text()
    assert "1 line is worse by more than 10 %." in text and f"{site.url}/compare?metric=write.throughput" in text
    assert "| 0.7" in text and "worse than before |" in text
    number = found["new"].partition(":")[2]
    cases = [
        ([number, *against], 1, "1 line is worse."),
        ([number, *against, "--worse-by", "0.4"], 0, "No line is worse by more than 40 %."),
        ([number, *against, "--metric", "write.throughput"], 1, "1 line is worse."),
        ([str(same), *against], 0, "No line is worse."),
        ([number, *against[:4]], 0, "Cannot tell: no line has a claim."),
        ([number, "--against", "label:branch=main"], 1, "1 line is worse."),
        ([number, "--against", "branch=main", "--against", "label:branch=none"], 1, "1 line is worse."),
    ]
    for args, code, sentence in cases:
        assert program.says("gate", *args, code=code).splitlines()[0] == sentence
    assert "at least 3 a side" in program.says("gate", number, *against[:4])
    step = tmp_path / "step"
    step.write_text("before\n")
    program.more = {"GITHUB_STEP_SUMMARY": str(step)}
    program.says("gate", number, *against, code=1)
    assert step.read_text().startswith("before\n### ")


def test_the_figure_of_a_gate_is_shown_where_everybody_may_see_it(tmp_path):
    script = """
import json
from poolmark import gate
from poolmark.http import Site
line = {"metric": "write.throughput", "workload": {"tool": "dd|`x`"}, "says": "worse", "claim": "worse than before", "ratio": 0.7,
        "low": 0.6, "high": 0.8, "a": {"center": 7.0}, "b": {"center": 10.0}, "query": "x=fs", "doubts": ["from memory"]}
card = {"lines": [line], "counts": {"worse": 1}}
found = []
for url, is_public in (("https://example.org", True), ("https://example.org", False), ("http://localhost:1", True)):
    verdict = gate.GateVerdict("archive:2", "archive:1", 0.1, card, f"{url}/versus", [line])
    found.append(gate.summary(Site(url), verdict, is_public=is_public))
print(json.dumps(found))
"""
    shown, private, local = Program(tmp_path).evaluate(script)
    assert "[![The figure of the first line](https://example.org/compare.png?x=fs)](https://example.org/compare?x=fs)" in shown
    assert "![" not in private and "![" not in local and "[The figure](https://example.org/compare?x=fs)" in private
    assert "dd\\|\\`x\\`" in shown and "worse than before, from memory" in shown


def test_what_was_accepted_last_can_be_what_was_before(site: Site, before, tmp_path):
    program = site.program(tmp_path / "home")
    [new] = sessions(tmp_path / "new", {22: 290.0})
    none = program.data("gate", str(new), "--against", "last-accepted")
    assert none["passed"] and none["says"] == "Cannot tell: no line has a claim."
    assert (none["against"], none["notes"]) == ("last-accepted", ["No archive of this machine was accepted yet."])
    summary = tmp_path / "said.md"
    said = program.says("gate", none["new"], "--against", "last-accepted", "--markdown", str(summary))
    assert none["notes"][0] in said.splitlines() and none["notes"][0] in summary.read_text().splitlines()
    [public] = sessions(tmp_path / "public", {4: 405.0})
    archive = program.data("push", str(public), "--visibility", "public", "--licence", "CC0-1.0", "--wait")
    assert archive["visibility"] == "public"
    site.manage("archive", "accept", str(archive["id"]))
    found = program.data("gate", str(new), "--against", "last-accepted")
    assert found["passed"] and found["counts"]["cannot tell"] == 1


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["push", "nowhere"], 2, "nowhere does not exist: check the path."),
        (["push", "."], 2, "There is no file in"),
        (["push", "--title", "x"], 2, "Missing argument"),
        (["push", "a.txt", "--label", "branch"], 2, "write it as NAME=VALUE"),
        (["push", "a.txt", "--visibility", "public"], 2, "licence"),
        (["versus", "1", "999999"], 2, "There is no archive 999999"),
        (["versus", "one", "two"], 2, "names no side"),
        (["versus", "https://elsewhere.example/archives/1", "2"], 2, "is not on http://127.0.0.1"),
        (["gate", "999999", "--against", "1"], 2, ""),
        (["gate", "1", "--against", "2", "--worse-by", "lots"], 2, "write 10% or 0.1"),
        (["normal", "999999"], 2, "There is no archive 999999"),
        (["compare", "metric=write.throughput", "--server", "http://127.0.0.1:9"], 2, "cannot be reached"),
        (["nothing"], 2, "No such command"),
    ],
)
def test_what_is_wrong_is_one_sentence(site: Site, tmp_path, args, code, words):
    program = site.program(tmp_path / "home")
    if "a.txt" in args:
        (program.home / "a.txt").write_text(dd_session(3, [100, 101, 102]))
    done = program.run(*args)
    assert done.returncode == code and done.stdout == "", (done.stdout, done.stderr)
    assert words in done.stderr and done.stderr.startswith("poolmark: ") and "Traceback" not in done.stderr


def test_what_cannot_be_read_ends_with_1(site: Site, tmp_path):
    program = site.program(tmp_path / "home")
    (tmp_path / "damaged.tar.gz").write_bytes(b"\x1f\x8b\x08\0" + b"\xff" * 2000)
    (tmp_path / "poem.txt").write_text("Nothing was measured.\n")
    done = program.run("push", str(tmp_path / "damaged.tar.gz"), "--wait")
    assert (done.returncode, "Reading failed" in done.stderr) in ((1, True), (0, False)), done.stderr
    nothing = program.run("push", str(tmp_path / "poem.txt"), "--wait")
    assert nothing.returncode == 0 and "0 values in 1 file. No output of a known benchmark was found" in nothing.stderr


def test_a_push_token_publishes_nothing(site: Site, tmp_path):
    program = site.program(tmp_path / "home", "push")
    (tmp_path / "run.txt").write_text(dd_session(4, [100, 101, 102]))
    done = program.run("push", str(tmp_path / "run.txt"), "--visibility", "public", "--licence", "CC0-1.0")
    assert done.returncode == 2 and "manage" in done.stderr
    wrong = Program(program.home, site.url, "poolmark_" + "x" * 43)
    assert wrong.run("status").returncode == 2
    assert "/settings/tokens" in wrong.run("push", str(tmp_path / "run.txt")).stderr


def test_every_command_has_help_with_an_example(tmp_path):
    program = Program(tmp_path)
    commands = program.says("--help").split("Commands:")[1].split("\n")
    names = [line.split()[0] for line in commands if line.startswith("  ") and line[2:3].strip()]
    assert {"login", "logout", "status", "push", "versus", "gate", "compare", "normal", "search"} <= set(names)
    for name in names:
        said = program.says(name, "--help")
        assert "Example: poolmark " in said or name in ("capture", "mcp"), name


def test_the_version_is_that_of_the_product(tmp_path):
    import tomllib

    product = tomllib.loads((serving.ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert Program(tmp_path).says("--version") == f"poolmark {product}\n"


def test_it_depends_on_nothing_of_the_server():
    source = "".join(path.read_text() for path in (serving.ROOT / "client" / "src").rglob("*.py"))
    assert "django" not in source and "webapp" not in source and "import ingest" not in source
    assert PROGRAMS.exists(), "script/setup --test makes it"
