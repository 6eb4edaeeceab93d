"""The files of deploy/ for containers, as far as they can be judged without an engine or a cluster: they parse, name settings that
exist, start every role, pin their images, and Kustomize (where kubectl is) makes resources of them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.db import connection

from webapp import settings as product
from webapp.models import Archive
from webapp.tests import making
from webapp.tests.serving import environment

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
OF_BOTO3 = {"AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"}
OF_LIBPQ = {"PGPASSWORD"}
KNOWN = set(re.findall(r"`([A-Z_]+)`", (ROOT / "docs" / "running.md").read_text())) | OF_BOTO3 | OF_LIBPQ
READ = set(re.findall(r"""\benv(?:_bool|_list)?\("([A-Z_]+)\"""", Path(product.__file__).read_text()))
NOT_PASSED = {"DEBUG", "POOLMARK_ADDRESS", "POOLMARK_DATA", "POOLMARK_EMBEDDED_URL", "PORT", "POOLMARK_BIND"}
"""What the image or the supervisor sets, and what is of the embedded database or of a developer."""
NOT_IN_IMAGE = {"OTEL_EXPORTER_OTLP_ENDPOINT"}
OF_ROLES = {"POOLMARK_ROLES", "POOLMARK_DRAIN_SECONDS"}


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


def test_compose_passes_every_setting_that_there_is(compose):
    """Of the file of the operator: as it stands there, or empty, which is as if it was not set."""
    assert len(READ) > 25 and READ <= KNOWN | NOT_PASSED
    for service in compose["services"].values():
        environment = service.get("environment", {})
        if "POOLMARK_ROLES" in environment:
            assert set(environment) - OF_ROLES == (READ | KNOWN) - OF_ROLES - NOT_PASSED - NOT_IN_IMAGE
            for name in set(environment) - OF_ROLES - OF_LIBPQ:
                assert environment[name].startswith(f"${{{name}:"), name


def test_an_empty_variable_is_one_that_is_not_set(tmp_path):
    code = "from webapp import settings as s; print(s.HTTPS, s.PAGE_CACHE, s.POOLMARK_STATUS, s.LOGGING['root']['level'])"
    told = [
        subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, env=environment(tmp_path, **named), text=True)
        for named in (
            {"DATABASE_URL": "postgresql:///x", **more}
            for more in (dict.fromkeys(READ - {"POOLMARK_DATA", "DATABASE_URL"}, ""), {})
        )
    ]
    assert told[0] == told[1] and len(told[0].split()) == 4


def test_a_password_may_have_any_character(compose):
    for service in compose["services"].values():
        urls = [value for name, value in service.get("environment", {}).items() if "_URL" in name]
        assert not any("PASSWORD" in value for value in urls)


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
    (drained,) = [one["value"] for one in pod["containers"][0]["env"] if one["name"] == "POOLMARK_DRAIN_SECONDS"]
    assert pod["terminationGracePeriodSeconds"] > int(drained)


def test_the_deployments_are_every_role_with_limits_probes_and_settings_that_exist(resources):
    deployments = of_kind(resources, "Deployment")
    assert sorted(deployments) == sorted(product.ROLES)
    for role, one in deployments.items():
        container = one["spec"]["template"]["spec"]["containers"][0]
        values = {entry["name"]: entry.get("value", "") for entry in container["env"]}
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


@pytest.mark.django_db
def test_workers_are_as_many_as_the_archives_that_wait_ask_for(resources):
    scaled = of_kind(resources, "ScaledObject")["worker"]["spec"]
    (container,) = of_kind(resources, "Deployment")[scaled["scaleTargetRef"]["name"]]["spec"]["template"]["spec"]["containers"]
    (trigger,) = scaled["triggers"]
    assert trigger["type"] == "postgresql" and trigger["metadata"]["connectionFromEnv"] in KNOWN
    assert {"secretRef": {"name": "poolmark"}} in container["envFrom"]
    for number, state in enumerate(["received", "received", "reading", "read", "failed"]):
        Archive.objects.create(sha256=f"{number:064}", name="a", size=1, owner=making.user("ann"), state=state)
    with connection.cursor() as cursor:
        cursor.execute(trigger["metadata"]["query"])
        assert cursor.fetchone() == (2,)
    assert of_kind(resources, "HorizontalPodAutoscaler")["web"]["spec"]["scaleTargetRef"]["name"] == "web"


def test_only_the_autoscalers_say_how_many_there_are_of_what_they_scale(resources):
    scalers = [*of_kind(resources, "HorizontalPodAutoscaler").values(), *of_kind(resources, "ScaledObject").values()]
    scaled = {one["spec"]["scaleTargetRef"]["name"] for one in scalers}
    deployments = of_kind(resources, "Deployment")
    assert scaled < set(deployments)
    assert {name for name, one in deployments.items() if "replicas" in one["spec"]} == set(deployments) - scaled


def test_the_namespace_is_made(resources):
    wanted = yaml.safe_load((DEPLOY / "kustomize" / "kustomization.yaml").read_text())["namespace"]
    assert set(of_kind(resources, "Namespace")) == {wanted}


def test_prometheus_finds_the_web_servers_which_admit_their_address(resources):
    (job,) = yaml.safe_load((DEPLOY / "prometheus" / "kubernetes.yml").read_text())["scrape_configs"]
    web = of_kind(resources, "Deployment")["web"]
    (container,) = web["spec"]["template"]["spec"]["containers"]
    assert [rule["regex"] for rule in job["relabel_configs"]] == [
        web["spec"]["template"]["metadata"]["labels"]["app.kubernetes.io/component"],
        container["ports"][0]["name"],
    ]
    namespace = yaml.safe_load((DEPLOY / "kustomize" / "kustomization.yaml").read_text())["namespace"]
    assert job["authorization"]["type"] == "Bearer" and job["kubernetes_sd_configs"][0]["namespaces"]["names"] == [namespace]
    (hosts,) = [one for one in container["env"] if one["name"] == "POOLMARK_HOSTS"]
    assert hosts["valueFrom"]["fieldRef"]["fieldPath"] == "status.podIP"


def test_a_new_volume_of_the_store_belongs_to_the_account_of_the_image(compose):
    lines = (DEPLOY / "Dockerfile").read_text().splitlines()
    volumes = [volume for service in compose["services"].values() for volume in service.get("volumes", [])]
    (mounted,) = {volume.partition(":")[2] for volume in volumes if volume.startswith("store:")}
    (user,) = [line.split()[1] for line in lines if line.startswith("USER ")]
    assert lines.index(f"RUN install -d -o {user} -g {user} {mounted}") < lines.index(f"USER {user}")
    assert f"useradd --system --uid {user} " in "\n".join(lines)


def test_only_pages_are_evicted_from_valkey_and_no_secret_gets_into_the_image(compose):
    command = compose["services"]["valkey"]["command"]
    assert command[command.index("--maxmemory-policy") + 1] == "volatile-lru"
    for name in (".dockerignore", ".gitignore"):
        patterns = {pattern.removeprefix("**/") for pattern in (ROOT / name).read_text().splitlines()}
        assert {"*.env", ".venv-*"} <= patterns
