"""The recipes of deploy/ci run, with a client on the PATH that answers as `poolmark gate` does."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from webapp.tests.serving import ROOT

CI = ROOT / "deploy" / "ci"
LINK = "https://bench.example.org/versus?a=archive:7&b=label:branch%3Dmain"
SUMMARY = "### No line is worse by more than 10%.\n"


class Client:
    """A `poolmark` that notes its arguments, ends with a status, and writes what the real one would."""

    def __init__(self, place: Path, status: int) -> None:
        self.place, self.calls = place, place / "calls"
        self.add(
            "poolmark",
            "import json, os, sys\n"
            f"print(*sys.argv[1:], sep='\\n', file=open({str(self.calls)!r}, 'a'))\n"
            f"if {status} < 2:\n"
            "    if '--markdown' in sys.argv:\n"
            f"        open(sys.argv[sys.argv.index('--markdown') + 1], 'w').write({SUMMARY!r})\n"
            f"    print(json.dumps({{'url': {LINK!r}}}))\n"
            f"sys.exit({status})\n",
        )

    def add(self, name: str, code: str) -> Path:
        path = self.place / name
        path.write_text(f"#!{sys.executable}\n{code}")
        path.chmod(0o755)
        return path

    def run(self, command: list[str], cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
        path = f"{self.place}:{os.environ['PATH']}"
        named = {"PATH": path, "HOME": str(cwd), **env}
        return subprocess.run(command, cwd=cwd, env=named, capture_output=True, text=True, check=False)

    @property
    def arguments(self) -> list[str]:
        return self.calls.read_text().splitlines()


@pytest.fixture(params=[0, 1, 2])
def status(request) -> int:
    return request.param


@pytest.fixture
def client(tmp_path, status) -> Client:
    (tmp_path / "bin").mkdir()
    (tmp_path / "work").mkdir()
    return Client(tmp_path / "bin", status)


def option(arguments: list[str], name: str) -> str:
    return arguments[arguments.index(name) + 1]


def given_to_steps(action: dict[str, Any], inputs: dict[str, str]) -> dict[str, str]:
    """The environment that the steps of an action get for these inputs, or the defaults."""
    given = {name: inputs.get(name) or one["default"] for name, one in action["inputs"].items()}
    named = {}
    for step in action["runs"]["steps"]:
        for name, text in step["env"].items():
            [asked] = re.findall(r"\$\{\{ inputs\.([\w-]+) \}\}", text)
            named[name] = given[asked]
    return named


def test_the_github_action_gates_and_tells_what_it_found(client, status, tmp_path):
    action = yaml.safe_load((CI / "github" / "action.yml").read_text())
    install, gate = action["runs"]["steps"]
    assert action["runs"]["using"] == "composite" and all(step["shell"] == "bash" for step in (install, gate))
    assert all("${{" not in step["run"] for step in (install, gate))  # texts of others never become a part of the script
    named = given_to_steps(action, {name: f"given {name}" for name, one in action["inputs"].items() if "default" not in one})
    runner = {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    runner |= {"RUNNER_TEMP": str(tmp_path), "GITHUB_REF_NAME": "main", "GITHUB_HEAD_REF": "fix $(touch bad)"}
    done = client.run(["bash", "-e", "-o", "pipefail", "-c", gate["run"]], tmp_path / "work", **named, **runner)
    assert done.returncode == status, done.stderr
    assert client.arguments[:2] == ["gate", "given path"]
    assert option(client.arguments, "--against") == "label:branch=main" and option(client.arguments, "--worse-by") == "10%"
    assert option(client.arguments, "--label") == "branch=fix $(touch bad)" and not list((tmp_path / "work").iterdir())
    outputs = dict(line.split("=", 1) for line in Path(runner["GITHUB_OUTPUT"]).read_text().splitlines())
    assert outputs["verdict"] == ["ok", "worse", "error"][status] and outputs["link"] == (LINK if status < 2 else "")
    assert set(outputs) == set(action["outputs"])
    for name, one in action["outputs"].items():
        assert one["value"] == f"${{{{ steps.{gate['id']}.outputs.{name} }}}}"
    if status < 2:
        assert Path(outputs["summary"]).read_text() == Path(runner["GITHUB_STEP_SUMMARY"]).read_text() == SUMMARY


def test_the_gitlab_job_gates(client, status, tmp_path):
    job = yaml.safe_load((CI / "gitlab.yml").read_text())["poolmark"]
    assert job["allow_failure"] == {"exit_codes": 2} and job["artifacts"]["paths"] == ["poolmark.md"]
    script = "\n".join(["set -e", *job["script"][2:]])
    variables = job["variables"] | {"AGAINST": "label:branch=main", "CI_COMMIT_REF_NAME": "main"}
    done = client.run(["sh", "-c", script], tmp_path / "work", **variables)
    assert done.returncode == status, done.stderr
    assert client.arguments[:2] == ["gate", "results"] and option(client.arguments, "--label") == "branch=main"
    assert (tmp_path / "work" / "poolmark.md").exists() == (status < 2)


def test_the_slurm_array_runs_rounds_and_one_dependent_job_pushes(client, status, tmp_path):
    script, work, queue = CI / "slurm" / "poolmark-array.sbatch", tmp_path / "work", tmp_path / "queue"
    client.add("sbatch", f"import sys\nprint(*sys.argv[1:], file=open({str(queue)!r}, 'a'))\nprint('41;cluster')\n")
    bench = client.add("bench", "open('fio.txt', 'w').write('result')\n")
    results = work / "results"
    env = {"BENCHMARK": str(bench), "NODE": "node017", "RESULTS": str(results)}
    assert client.run(["sh", str(script)], work, **env).returncode == 0
    array, push = queue.read_text().splitlines()
    assert array == f"--parsable --nodelist=node017 --array=1-3%1 {script}"
    assert push == f"--dependency=afterok:41 --export=ALL,PUSH={results}/41 {script}"
    for task in ("1", "2"):
        of_task = {"SLURM_JOB_ID": f"4{task}", "SLURM_ARRAY_JOB_ID": "41", "SLURM_ARRAY_TASK_ID": task}
        assert client.run(["sh", str(script)], work, **env, **of_task).returncode == 0
        assert sorted(path.name for path in (results / "41" / f"rep{task}").iterdir()) == ["fio.txt", "started.txt"]
    done = client.run(["sh", str(script)], work, **env, SLURM_JOB_ID="50", PUSH=f"{results}/41")
    assert done.returncode == status and client.arguments[:2] == ["gate", f"{results}/41"]
    assert "name the program" in client.run(["sh", str(script)], work).stderr


def test_the_nightly_unit_runs_and_gates(client, status, tmp_path):
    text = (CI / "systemd" / "poolmark-nightly.service").read_text()
    commands = re.findall(r"^ExecStart=/bin/sh -c '(.*)'$", text, re.M)
    bench = client.add("bench", "open('fio.txt', 'w').write('result')\n")
    codes = [
        client.run(
            ["sh", "-c", command.replace("%%", "%")], tmp_path, STATE_DIRECTORY=str(tmp_path), BENCHMARK=str(bench)
        ).returncode
        for command in commands
    ]
    assert codes == [0, 0, status] and (tmp_path / "results" / "fio.txt").read_text() == "result"
    assert client.arguments[:2] == ["gate", f"{tmp_path}/results"] and option(client.arguments, "--worse-by") == "10%"
    assert option(client.arguments, "--against") == f"label:{option(client.arguments, '--label')}"


@pytest.mark.parametrize("name", ["poolmark-nightly.service", "poolmark-nightly.timer"])
def test_systemd_takes_the_units(name):
    unit = CI / "systemd" / name
    assert re.search(r"^\[(Service|Timer)\]$", unit.read_text(), re.M)
    if shutil.which("systemd-analyze"):
        done = subprocess.run(
            ["systemd-analyze", "verify", "--recursive-errors=no", unit], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0 and name not in done.stderr, done.stderr


def test_the_scripts_are_portable(tmp_path):
    action, job = (yaml.safe_load((CI / name).read_text()) for name in ("github/action.yml", "gitlab.yml"))
    scripts = {f"step{at}.bash": f"#!/bin/bash\n{step['run']}" for at, step in enumerate(action["runs"]["steps"])}
    scripts["job.sh"] = "\n".join(["#!/bin/sh", *job["poolmark"]["script"]])
    scripts["array.sh"] = (CI / "slurm" / "poolmark-array.sbatch").read_text()
    for name, text in scripts.items():
        (tmp_path / name).write_text(text)
    program = Path(sys.executable).with_name("shellcheck")
    done = subprocess.run([program, *sorted(tmp_path.iterdir())], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("option", ["--against", "--worse-by", "--label", "--markdown", "--json"])
def test_the_options_are_those_of_the_client(option):
    """As its parameters are named, or spelled out."""
    code = (ROOT / "client" / "src" / "poolmark" / "cli.py").read_text()
    gate = re.search(r"\ndef gate\((.*?)\n\) ->", code, re.S)
    parameters = set(re.findall(r"^    (\w+):", gate[1], re.M)) if gate else set()
    assert option[2:].replace("-", "_").replace("json", "as_json") in parameters
    assert any(f" {option} " in path.read_text() for path in CI.rglob("*") if path.is_file())
