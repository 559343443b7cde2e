"""The manifests for Kubernetes are of its schema, closed, and name commands and settings that exist."""

import re
from itertools import chain
from pathlib import Path

import kubernetes_validate
import pytest
import yaml
from support.typed_commands import parsed

from deploy.cli.services.serve import require_safe
from storage.settings import load_settings
from system.version import VERSION
from tracker.queues import EARLIER, QUEUES

FOLDER = Path("deploy") / "kubernetes"
OLDEST, NEWEST = "1.30", kubernetes_validate.latest_version()
KUSTOMIZATION = yaml.safe_load((FOLDER / "kustomization.yaml").read_text(encoding="utf-8"))
RESOURCES = {
    resource["metadata"].get("name", "upgrade"): resource
    for path in sorted(FOLDER.glob("*.yaml"))
    if path.name != "kustomization.yaml"
    for resource in yaml.safe_load_all(path.read_text(encoding="utf-8"))
    if resource["kind"] != "Service"
}
PODS = {
    name: resource["spec"]["template"]["spec"]
    for name, resource in RESOURCES.items()
    if "template" in resource["spec"]
}
SECRETS = {
    "pindna-addresses": {"mongo_url": "mongodb://:word@mongo:1", "redis_url": "redis://:word@redis:1"},
    "pindna-tls": {"tls.crt": "certificate", "tls.key": "key"},
}


def container_of(name):
    (container,) = PODS[name]["containers"]
    return container


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.name)
def test_manifests_match_the_schema(path, version):
    for resource in yaml.safe_load_all(path.read_text(encoding="utf-8")):
        if resource["kind"] != "Kustomization":
            kubernetes_validate.validate(resource, version, strict=True)


def test_mistyped_key_is_detected():
    beat = yaml.safe_load(
        (FOLDER / "beat.yaml").read_text(encoding="utf-8").replace("runAsNonRoot", "runAsNonroot")
    )
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(beat, NEWEST, strict=True)


def test_everything_is_applied_together_but_an_upgrade():
    files = {path.name for path in FOLDER.iterdir()} - {"kustomization.yaml"}
    named = {
        *KUSTOMIZATION["resources"],
        *chain(*(own["files"] for own in KUSTOMIZATION["configMapGenerator"])),
    }
    assert files - named == {"upgrade.yaml"}
    assert named <= files


@pytest.mark.parametrize("name", PODS)
def test_pod_is_closed_and_bounded(name):
    pod, container = PODS[name], container_of(name)
    assert pod["automountServiceAccountToken"] is False
    assert (pod["securityContext"]["runAsNonRoot"], pod["securityContext"]["runAsUser"]) == (True, 10001)
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert set(container["resources"]["requests"]) == {"cpu", "memory"}
    assert "memory" in container["resources"]["limits"]
    assert container["image"] == f"pindna:{VERSION}"
    assert {mount["name"] for mount in container["volumeMounts"]} == {own["name"] for own in pod["volumes"]}


@pytest.mark.parametrize("name", PODS)
def test_settings_of_a_pod_are_settings(name, monkeypatch, tmp_path):
    """Every file is in a volume, and only its user and group may read its secrets."""
    places = {mount["mountPath"]: mount["name"] for mount in container_of(name)["volumeMounts"]}
    volumes = {volume["name"]: volume for volume in PODS[name]["volumes"]}
    (tmp_path / "pindna.toml").write_bytes((FOLDER / "pindna.toml").read_bytes())
    for secret in (volumes[own]["secret"] for own in places.values() if "secret" in volumes[own]):
        assert secret["defaultMode"] == 0o440
        for file, text in SECRETS[secret["secretName"]].items():
            (tmp_path / file).write_text(text, encoding="utf-8")
            (tmp_path / file).chmod(secret["defaultMode"])
    for variable in container_of(name)["env"]:
        folder = str(Path(variable["value"]).parent)
        is_path = variable["value"].startswith("/")
        assert not is_path or folder in places
        monkeypatch.setenv(
            variable["name"],
            variable["value"].replace(folder, str(tmp_path)) if is_path else variable["value"],
        )
    settings = load_settings()
    assert settings.storage.mongo_url.get_secret_value() == "mongodb://:word@mongo:1"
    assert settings.tracker.log_format == "json"
    if name == "pindna-console":
        require_safe(settings.analysis.server.model_copy(update={"host": "0.0.0.0"}))  # noqa: S104 - as it is served


@pytest.mark.parametrize("name", PODS)
def test_command_has_only_existing_options(name):
    assert parsed(container_of(name)["args"])


def test_workers_cover_every_queue_and_there_is_a_single_beat():
    taken = [str(parsed(container_of(name)["args"]).get("queues") or "") for name in PODS]
    assert sorted(chain(*(queues.split(",") for queues in taken if queues))) == sorted((*QUEUES, EARLIER))
    beat = RESOURCES["pindna-beat"]["spec"]
    assert (beat["replicas"], beat["strategy"]) == (1, {"type": "Recreate"})


def test_probes_use_existing_endpoints():
    paths = {
        name: {
            kind: (probe["httpGet"]["path"], probe["httpGet"].get("scheme", "HTTP"))
            for kind in ("livenessProbe", "readinessProbe", "startupProbe")
            if (probe := container_of(name).get(kind))
        }
        for name in PODS
    }
    alive, ready = ("/healthz", "HTTPS"), ("/readyz", "HTTPS")
    assert paths["pindna-console"] == {"livenessProbe": alive, "readinessProbe": ready, "startupProbe": alive}
    for name in ("pindna-crawl", "pindna-compare", "pindna-report"):
        metrics = {variable["name"]: variable["value"] for variable in container_of(name)["env"]}
        assert metrics["PINDNA_TRACKER__METRICS_PORT"] == str(container_of(name)["ports"][0]["containerPort"])
        assert set(paths[name].values()) == {("/metrics", "HTTP")}


def test_required_secrets_are_documented():
    documented = Path("docs/deploying.md").read_text(encoding="utf-8")
    for name, files in SECRETS.items():
        assert re.search(rf"kubectl create secret \w+ {name}\b", documented)
        assert name == "pindna-tls" or all(f"--from-file={file}" in documented for file in files)
