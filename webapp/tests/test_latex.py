"""What a permalink gives for LaTeX compiles without a warning."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ingest.tests.tools import needed
from webapp.tests.serving import ROOT


@pytest.mark.slow
def test_a_paper_compiles_without_a_complaint(tmp_path):
    needed("pdflatex", "bibtex", "pdffonts")
    done = subprocess.run([sys.executable, "script/check-latex", tmp_path], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
