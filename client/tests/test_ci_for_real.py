"""The recipes of deploy/ci with the client and a server: four sessions are the past, the fifth is 30 % slower."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from client.tests.programs import Site, dd_session, running_site
from webapp.tests.test_ci_examples import CI, given_to_steps

RATES = {5: 400.0, 6: 404.0, 7: 396.0, 8: 402.0, 9: 280.0}
STEPS = (0.988, 0.997, 1.004, 1.011)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with running_site() as site:
        yield site


@dataclass
class Job:
    """What a recipe runs with: a folder of its own, `poolmark` on the PATH, a server and a token."""

    place: Path
    environment: dict[str, str]

    def run(self, command: list[str], **more: str) -> int:
        """The exit code; 2 is a fault of the test."""
        named = {**self.environment, **more}
        done = subprocess.run(command, cwd=self.place, env=named, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode in (0, 1), done.stderr
        return done.returncode


def github(job: Job, results: Path) -> tuple[int, str]:
    """Exit code and summary."""
    action = yaml.safe_load((CI / "github" / "action.yml").read_text())
    inputs = {"server": job.environment["POOLMARK_URL"], "token": job.environment["POOLMARK_TOKEN"]}
    given = given_to_steps(action, {**inputs, "path": str(results), "client": "not installed here"})
    files = {name: str(results.parent / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    script = action["runs"]["steps"][1]["run"]
    runner = {"RUNNER_TEMP": str(results.parent), "GITHUB_REF_NAME": "main"}
    code = job.run(["bash", "-e", "-o", "pipefail", "-c", script], **given, **files, **runner)
    outputs = dict(line.split("=", 1) for line in Path(files["GITHUB_OUTPUT"]).read_text().splitlines())
    assert outputs["verdict"] == ["ok", "worse"][code] and outputs["link"].startswith(f"{inputs['server']}/versus?a=archive:")
    return code, Path(files["GITHUB_STEP_SUMMARY"]).read_text()


def gitlab(job: Job, results: Path) -> tuple[int, str]:
    told = yaml.safe_load((CI / "gitlab.yml").read_text())["poolmark"]
    script = "\n".join(["set -e", f"cd {results.parent}", *told["script"][3:]])
    code = job.run(["sh", "-c", script], **{**told["variables"], "AGAINST": "label:branch=main", "CI_COMMIT_REF_NAME": "main"})
    return code, (results.parent / "poolmark.md").read_text()


def slurm(job: Job, results: Path) -> tuple[int, str]:
    summary = results.parent / "summary.md"
    script = ["sh", str(CI / "slurm" / "poolmark-array.sbatch")]
    more = {"SLURM_JOB_ID": "50", "BENCHMARK": "/bin/true", "PUSH": str(results), "GITHUB_STEP_SUMMARY": str(summary)}
    return job.run(script, **more), summary.read_text()


def systemd(job: Job, results: Path) -> tuple[int, str]:
    """The benchmark is one that copies what was measured."""
    text = (CI / "systemd" / "poolmark-nightly.service").read_text()
    summary = results.parent / "summary.md"
    bench = results.parent / "bench"
    bench.write_text(f"#!/bin/sh\ncp {results}/* .\n")
    bench.chmod(0o755)
    more = {"STATE_DIRECTORY": str(results.parent), "BENCHMARK": str(bench), "GITHUB_STEP_SUMMARY": str(summary)}
    # The first line empties the folder of results, which are those of another place here.
    (results.parent / "results").mkdir()
    codes = [
        job.run(["sh", "-c", one.replace("%%", "%")], **more) for one in re.findall(r"^ExecStart=/bin/sh -c '(.*)'$", text, re.M)
    ]
    assert codes[:2] == [0, 0]
    return codes[2], summary.read_text()


def check_markdown(text: str, url: str) -> None:
    """One heading, a table whose rows have as many cells as its head, links into the server, no picture of a private archive."""
    lines = text.splitlines()
    assert [line for line in lines if line.startswith("#")] == [lines[0]] and lines[0].startswith("### ")
    assert not re.search(r"!\[|<img|\.(?:png|jpe?g)\b", text)
    rows = [re.split(r"(?<!\\)\|", line) for line in lines if line.startswith("|")]
    assert len({len(row) for row in rows}) <= 1 and len(rows) != 2, rows
    links = re.findall(r"\]\(([^)\s]*)\)", text)
    assert links and all(link.startswith(f"{url}/") for link in links)


@pytest.mark.parametrize(
    ("recipe", "owner"),
    [(github, "ann"), (gitlab, "bob"), (slurm, "ann"), (systemd, "bob")],
    ids=lambda one: getattr(one, "__name__", one),
)
def test_a_recipe_lets_a_slower_session_fail(
    site: Site, tmp_path: Path, recipe: Callable[[Job, Path], tuple[int, str]], owner: str
) -> None:
    program = site.program(tmp_path / "home", "push", owner)
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "poolmark"
    command.write_text(f'#!/bin/sh\nexec {program.python} -m poolmark "$@"\n')
    command.chmod(0o755)
    job = Job(tmp_path, {**program.environment, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"})
    codes, summary = [], ""
    for day, rate in RATES.items():
        results = tmp_path / f"day-{day}" / ("measured" if recipe is systemd else "results")
        results.mkdir(parents=True)
        (results / "dd.txt").write_text(dd_session(day, [rate * step for step in STEPS], host=recipe.__name__))
        code, summary = recipe(job, results)
        check_markdown(summary, site.url)
        codes.append(code)
    assert codes == [0, 0, 0, 0, 1], summary
    assert summary.startswith("### ❌ 1 line is worse by more than 10 %.\n") and "| worse than before" in summary
