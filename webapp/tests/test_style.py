"""What tools can judge: imports between rooms, types, lint of Python and of scripts, migrations that fit the models."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
TYPED = ("ingest", "webapp")


def run(*command: object) -> None:
    done = subprocess.run([str(part) for part in command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def it_keeps_the_rooms_apart():
    run(BIN / "lint-imports", "--no-cache")


@pytest.mark.thorough
def it_checks_types():
    run(BIN / "mypy", "--cache-dir", os.devnull, *TYPED)


def it_has_no_lint():
    run(BIN / "ruff", "check", "--no-cache", ".")


def it_gives_a_reason_for_each_finding_of_the_security_rules_that_stays():
    files = [path for top in (*TYPED, "script") for path in (ROOT / top).rglob("*.py")]
    found = {f"{path}:{line}" for path in files for line in re.findall(r"# noqa: S\d+(?:, *\w+)*[ \t]*$", path.read_text(), re.M)}
    assert not found


def it_locks_every_package_by_its_hash_and_without_addresses():
    for lock in (ROOT / "requirements.txt", *(ROOT / "requirements").glob("*.txt")):
        text = lock.read_text()
        pins = re.findall(r"^[\w.\[\]-]+==\S+ \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n?)+)", text, re.M)
        assert pins and len(pins) == len(re.findall(r"^\w", text, re.M)), lock
        assert "://" not in text, lock
    packages = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    bare = {name for name, facts in packages.items() if name and ("integrity" not in facts or "resolved" in facts)}
    assert not bare


def it_is_formatted():
    run(BIN / "ruff", "format", "--no-cache", "--check", ".")


def it_has_no_lint_in_its_scripts():
    run(ROOT / "node_modules" / ".bin" / "biome", "lint", "static/js")


def it_has_formatted_scripts_and_styles():
    run(ROOT / "node_modules" / ".bin" / "biome", "format")


def it_has_formatted_templates():
    run(BIN / "djade", "--target-version", "5.2", "--check", *sorted((ROOT / "templates").rglob("*.html")))


def it_starts_without_the_libraries_that_draw_and_calculate():
    """Every process and every command would wait a second for them, and keep 50 MB."""
    run(
        sys.executable,
        "-c",
        "import django, os, sys; os.environ['DJANGO_SETTINGS_MODULE'] = 'webapp.settings'; django.setup();"
        "import webapp.urls, webapp.jobs.tasks; sys.exit(', '.join({'matplotlib', 'scipy', 'PIL'} & set(sys.modules)) or 0)",
    )


@pytest.mark.django_db
def it_has_a_migration_for_every_change_of_a_model():
    from django.core.management import call_command

    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def it_uses_the_words_of_the_field():
    run(sys.executable, "script/check-words")
