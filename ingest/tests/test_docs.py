"""script/docs writes what the code does. That docs/ holds the newest is checked for a release, by `script/docs --check`."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ingest.catalogue import OPERATIONS, QUANTITIES
from ingest.detect import detect
from ingest.tests.reading import read
from ingest.warning_codes import CODES

ROOT = Path(__file__).resolve().parents[2]


def _load_catalogue():
    """The module script/message_catalogue.py."""
    spec = importlib.util.spec_from_file_location("message_catalogue", ROOT / "script" / "message_catalogue.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


message_catalogue = _load_catalogue()


def _docs(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "script/docs", *map(str, arguments)], cwd=ROOT, capture_output=True, text=True)


@pytest.fixture(scope="module")
def generated(tmp_path_factory) -> Path:
    """A folder with the generated pages."""
    folder = tmp_path_factory.mktemp("docs")
    done = _docs("--into", folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.thorough
def test_the_generated_pages_name_everything(generated):
    formats, metrics = ((generated / name).read_text() for name in ("formats.md", "metrics.md"))
    for parser in detect.parsers():
        section = formats.split(f"## {parser.name}\n")[1].split("\n## ")[0]
        assert f"Parser version {parser.version}." in section
        assert len(re.findall(r"(?m)^\| .* \| .* \| .* \| .* \|$", section)) > 1, "no shapes in the docstring of its module"
    assert not [reader.name for reader in detect.readers() if f"\n| {reader.name} | {reader.version} |" not in formats]
    messages = (generated / "messages.md").read_text()
    assert not [code for code in CODES if f"\n### `{code}`\n" not in messages]
    assert not [name for name in (*QUANTITIES, *OPERATIONS) if f"\n| `{name}` |" not in metrics]


@pytest.mark.thorough
def test_the_list_of_messages_is_current():
    done = _docs("--check", "messages.md")
    assert done.returncode == 0, "run script/docs messages.md"


def test_every_code_that_is_raised_is_in_the_list_and_every_code_of_the_list_is_raised():
    raised = {message.code for message in message_catalogue.warnings()}
    assert raised - set(CODES) == set()
    assert set(CODES) - raised == set()


@pytest.mark.thorough
def test_the_check_names_what_is_not_current_and_writes_nothing(generated, tmp_path):
    pages = shutil.copytree(generated, tmp_path / "pages")
    (pages / "formats.md").write_text("old")
    done = _docs("--check", "--into", pages)
    assert done.returncode == 1 and "formats.md" in done.stderr and "metrics.md" not in done.stderr
    assert (pages / "formats.md").read_text() == "old"


def test_the_newest_release_of_the_changelog_is_the_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    releases = [line for line in (ROOT / "CHANGELOG.md").read_text().splitlines() if line.startswith("## [")]
    assert releases[0] == "## [Unreleased]" and releases[1].startswith(f"## [{version}] - ")


def test_the_parser_that_the_documentation_teaches_reads():
    page = (ROOT / "docs" / "adding-a-parser.md").read_text()
    [block] = re.findall(r"```python\n(.*?)```", page, re.S)
    taught: dict[str, Any] = {}
    exec(compile(block, "adding-a-parser.md", "exec"), taught)
    printed = " Timing buffered disk reads: 434 MB in  3.01 seconds = 144.22 MB/sec\n"
    [value], doubts = read(taught["PARSER"], printed)
    assert (value.value, value.raw, value.line, doubts) == (144.22 * 2**20, "144.22", 1, [])


def test_the_names_in_the_page_on_parsers_exist():
    """`NAME of FILE` names what the file defines."""
    page = (ROOT / "docs" / "adding-a-parser.md").read_text()
    named = re.findall(r"`(\w+)` of `(ingest/[\w/]+\.py)`", page)
    assert len(named) >= 2
    for name, path in named:
        assert re.search(rf"^(?:class|def) {name}\b|^{name}\b.* = ", (ROOT / path).read_text(), re.M), (name, path)
