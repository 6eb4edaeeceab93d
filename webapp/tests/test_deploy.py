"""The files of deploy/ for containers, as far as they can be judged without an engine or a cluster: they parse, name settings that
exist, start every role, pin their images, and Kustomize (where kubectl is) makes resources of them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from webapp import settings as product

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
OF_BOTO3 = {"AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"}
KNOWN = set(re.findall(r"`([A-Z_]+)`", (ROOT / "docs" / "running.md").read_text())) | OF_BOTO3


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return yaml.safe_load((DEPLOY / "compose" / "compose.yaml").read_text())


@pytest.fixture(scope="module")
def resources() -> list[dict[str, Any]]:
    """What Kustomize makes; where there is no kubectl, what the files say."""
    folder = DEPLOY / "kustomize"
    if shutil.which("kubectl"):
        made = subprocess.run(["kubectl", "kustomize", folder], capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stderr
        return list(yaml.safe_load_all(made.stdout))
    names = yaml.safe_load((folder / "kustomization.yaml").read_text())["resources"]
    return [one for name in names for one in yaml.safe_load_all((folder / name).read_text())]


def of_kind(resources: list[dict], kind: str) -> dict[str, dict]:
    return {one["metadata"]["name"]: one for one in resources if one["kind"] == kind}


def test_the_containers_of_compose_are_every_role_with_settings_that_exist(compose):
    roles = []
    for service in compose["services"].values():
        environment = service.get("environment", {})
        if "POOLMARK_ROLES" in environment:
            roles.append(environment["POOLMARK_ROLES"])
            assert set(environment) <= KNOWN
            assert "mem_limit" in service and set(service["depends_on"]) <= set(compose["services"])
    assert sorted(roles) == sorted(product.ROLES)


def test_images_are_pinned_and_named_without_their_registry(compose):
    images = [service["image"] for service in compose["services"].values()]
    images += re.findall(r"^FROM (\S+)", (DEPLOY / "Dockerfile").read_text(), re.M)
    others = [image for image in images if image != "poolmark"]
    assert len(others) == 3
    for image in others:
        assert re.fullmatch(r"[a-z]+(/[a-z]+)?:\d+(\.\d+)*-[a-z-]+", image), image


def test_a_worker_has_more_time_to_end_than_it_drains(compose, resources):
    worker = compose["services"]["worker"]
    assert int(worker["stop_grace_period"].rstrip("s")) > int(worker["environment"]["POOLMARK_DRAIN_SECONDS"])
    pod = of_kind(resources, "Deployment")["worker"]["spec"]["template"]["spec"]
    drained = {one["name"]: one["value"] for one in pod["containers"][0]["env"]}["POOLMARK_DRAIN_SECONDS"]
    assert pod["terminationGracePeriodSeconds"] > int(drained)


def test_the_deployments_are_every_role_with_limits_probes_and_settings_that_exist(resources):
    deployments = of_kind(resources, "Deployment")
    assert sorted(deployments) == sorted(product.ROLES)
    for role, one in deployments.items():
        container = one["spec"]["template"]["spec"]["containers"][0]
        values = {entry["name"]: entry["value"] for entry in container["env"]}
        assert (
            values["POOLMARK_ROLES"] == role and set(values) <= KNOWN and all(isinstance(value, str) for value in values.values())
        )
        assert {"cpu", "memory"} <= set(container["resources"]["requests"]) and "memory" in container["resources"]["limits"]
        labels = one["spec"]["template"]["metadata"]["labels"]
        assert one["spec"]["selector"]["matchLabels"].items() <= labels.items()
        assert {mount["name"] for mount in container["volumeMounts"]} == {
            v["name"] for v in one["spec"]["template"]["spec"]["volumes"]
        }
        if role == "web":
            assert {"startupProbe", "livenessProbe", "readinessProbe"} <= set(container)
    for config in of_kind(resources, "ConfigMap").values():
        assert set(config["data"]) <= KNOWN


def test_workers_are_as_many_as_the_archives_that_wait_ask_for(resources):
    scaled = of_kind(resources, "ScaledObject")["worker"]["spec"]
    assert scaled["scaleTargetRef"]["name"] in of_kind(resources, "Deployment")
    metric, state = re.search(r'(poolmark_\w+)\{kind="(\w+)"\}', scaled["triggers"][0]["metadata"]["query"]).groups()
    from webapp.models import Archive

    assert f'"{metric}"' in (ROOT / "webapp" / "views" / "site" / "health.py").read_text()
    assert state in Archive.State.values
    assert of_kind(resources, "HorizontalPodAutoscaler")["web"]["spec"]["scaleTargetRef"]["name"] == "web"
