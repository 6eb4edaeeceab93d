"""What holds of the project as a whole: locked packages, a quick start, migrations that fit the models."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def it_locks_every_package_by_its_hash_and_without_addresses():
    for lock in (ROOT / "requirements.txt", *(ROOT / "requirements").glob("*.txt")):
        text = lock.read_text()
        pins = re.findall(r"^[\w.\[\]-]+==\S+ \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n?)+)", text, re.M)
        assert pins and len(pins) == len(re.findall(r"^\w", text, re.M)), lock
        assert "://" not in text, lock
    packages = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    bare = {name for name, facts in packages.items() if name and ("integrity" not in facts or "resolved" in facts)}
    assert not bare


def it_starts_without_the_libraries_that_draw_and_calculate_and_those_of_buckets():
    """Every process and every command would wait a second for them, and keep 50 MB."""
    program = (
        "import django, os, sys; os.environ['DJANGO_SETTINGS_MODULE'] = 'webapp.settings';"
        "os.environ.pop('POOLMARK_STORE', None); django.setup();"
        "import webapp.urls, webapp.jobs.tasks;"
        "late = {'boto3', 'webapp.files.bucket', 'fontTools', 'pikepdf', 'scipy', 'svg2pdf_py'};"
        "sys.exit(', '.join(late & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.django_db
def it_has_a_migration_for_every_change_of_a_model():
    from django.core.management import call_command

    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
