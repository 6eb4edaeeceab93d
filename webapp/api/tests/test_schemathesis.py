"""schemathesis asks a real server everything that the OpenAPI document allows, and what it forbids; all checks."""

from __future__ import annotations

import os
import subprocess
import urllib.request
from pathlib import Path

import pytest

from webapp.tests import samples
from webapp.tests.serving import ROOT, Server, data_folder, manage

PROGRAM = ROOT / ".venv" / "programs" / "bin" / "schemathesis"
_TOKEN = """
from webapp.accounts import api_tokens, sign_in_links
print("token", api_tokens.make_token(sign_in_links.ensure_account("ann"), "test", ["manage"]))
"""


@pytest.fixture
def server():
    folder = data_folder()
    one = Server(folder, POOLMARK_API_REQUESTS="100000000", POOLMARK_QUOTA_ARCHIVES="1000000").wait_ready()
    yield one
    one.close()


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("seconds", "seed"), [(30, ["--seed", "1", "--generation-deterministic"]), pytest.param(1200, [], marks=pytest.mark.slow)]
)
def test_schemathesis_finds_nothing(server, seconds, seed):
    if not PROGRAM.exists():
        assert "CI" not in os.environ, "script/test --slow and CI need the second environment"
        pytest.skip("schemathesis is not installed")
    [token] = [line.split()[1] for line in manage(server.data, "shell", "-c", _TOKEN).stdout.splitlines() if line[:6] == "token "]
    site = f"http://127.0.0.1:{server.port}/api/v1"
    for name, seconds_of_dd in (("a.txt", 2.5), ("b.txt", 3.5)):
        asked = urllib.request.Request(
            f"{site}/archives?name={name}", samples.dd(seconds_of_dd, damage=True), {"Authorization": f"Bearer {token}"}
        )
        asked.add_header("Content-Type", "application/octet-stream")
        assert urllib.request.urlopen(asked).status == 201
    done = subprocess.run(
        [PROGRAM, "--config-file", Path(__file__).with_name("schemathesis.toml"), "run", f"{site}/openapi.json", "-c", "all"]
        + ["--max-time", str(seconds), "--continue-on-failure", "--warnings", "off", "-H", f"Authorization: Bearer {token}", *seed],
        capture_output=True,
        text=True,
        check=False,
        cwd=server.data,
    )
    said = "\n".join(line[:300] for line in done.stdout.splitlines())  # addresses and bodies of many kilobytes
    assert done.returncode == 0, said[-20_000:] + done.stderr[-2000:]
