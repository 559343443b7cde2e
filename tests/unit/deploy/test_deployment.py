"""Compose file, image and units name commands, options, settings and queues that exist."""

import re
import shlex
import shutil
import subprocess
import tomllib
from fnmatch import fnmatch
from itertools import chain
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import click
import pytest
import redis
import yaml
from support.checkers import require_checker
from support.typed_commands import parsed
from support.wrong_servers import redis_process

from deploy.cli.services.serve import require_safe
from storage.settings import load_settings
from system.version import VERSION
from tracker.queues import EARLIER, QUEUES

DOCKER, SYSTEMD = Path("deploy") / "docker", Path("deploy") / "systemd"
COMPOSE, DOCKERFILE = DOCKER / "compose.yaml", DOCKER / "Dockerfile"
UNITS = sorted(SYSTEMD.glob("*.service"))
IN_ENV = {
    "PINDNA_MEMORY": "2g",
    "CONSOLE_NAME": "pindna.example",
    "CONSOLE_ADDRESS": "192.0.2.1",
}


def composed():
    """The compose file, with variables filled in as compose does."""
    text = re.sub(
        r"\$\{(\w+)(:[?-][^}]*)?\}", lambda name: IN_ENV[name[1]], COMPOSE.read_text(encoding="utf-8")
    )
    return yaml.safe_load(text)


def services():
    """The services of it that run pindna."""
    read = composed()["services"]
    return {name: service for name, service in read.items() if service["image"].startswith("pindna:")}


def unit(path):
    """The lines of a unit, by key."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if re.match(r"\w+=", line)]
    keys = {}
    for key, _, value in (line.partition("=") for line in lines):
        keys.setdefault(key, []).append(value)
    return keys


def environment_of(keys):
    return dict(part.split("=", 1) for line in keys["Environment"] for part in shlex.split(line))


def command_of(keys):
    (line,) = keys["ExecStart"]
    for name, value in environment_of(keys).items():
        line = line.replace(f"${{{name}}}", value)
    return shlex.split(line.replace("%i", "one").replace("%%", "%"))


COMMANDS = {
    **{f"compose {name}": service["command"] for name, service in services().items()},
    **{path.name: command_of(unit(path)) for path in UNITS},
}


@pytest.mark.parametrize("name", COMMANDS)
def test_command_has_only_existing_options(name):
    assert parsed(COMMANDS[name])


def test_mistyped_word_is_detected():
    with pytest.raises(click.NoSuchOption):
        parsed(["celery", "-A", "tracker", "worker", "--concurency", "2"])
    with pytest.raises(KeyError):
        parsed(["pindna", "serv"])


def test_workers_of_the_compose_file_take_from_every_queue():
    taken = [parsed(service["command"]).get("queues", "") for service in services().values()]
    assert sorted(chain.from_iterable(queues.split(",") for queues in taken if queues)) == sorted(
        (*QUEUES, EARLIER)
    )
    worker_unit = environment_of(unit(SYSTEMD / "pindna-worker@.service"))
    assert sorted(worker_unit["QUEUES"].split(",")) == sorted((*QUEUES, EARLIER))


@pytest.fixture(scope="module")
def secrets(tmp_path_factory):
    """The folder with what make-secrets.sh makes; to whom it would give each file is noted beside it."""
    folder = tmp_path_factory.mktemp("docker")
    shutil.copy(DOCKER / "make-secrets.sh", folder)
    (folder / "chown").write_text('#!/bin/sh\necho "$1 $2" >> owners\n', encoding="utf-8")
    (folder / "chown").chmod(0o700)
    environment = {"PATH": f"{folder}:/usr/bin:/bin", "REDIS_PASSWORD": "pass-word"}
    subprocess.run(["./make-secrets.sh"], cwd=folder, env=environment, check=True)
    return folder / "secrets"


@pytest.mark.parametrize("name", services())
def test_settings_of_the_compose_file_are_settings(name, monkeypatch, secrets):
    for variable, value in services()[name]["environment"].items():
        monkeypatch.setenv(variable, value.replace("/run/secrets", str(secrets)))
    settings = load_settings()
    assert settings.storage.mongo_url
    assert settings.storage.redis_url.get_secret_value() == "redis://:pass-word@redis:6379/0"
    assert settings.tracker.log_format == "json"
    if name == "console":
        server = settings.analysis.server.model_copy(update={"host": "0.0.0.0"})  # noqa: S104 - as it is served
        require_safe(server)


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_settings_of_a_unit_are_settings(path, monkeypatch, tmp_path):
    (tmp_path / "pindna.toml").touch()
    for variable, value in environment_of(unit(path)).items():
        if variable.startswith("PINDNA_"):
            monkeypatch.setenv(variable, value.replace("%d", str(tmp_path)))
    monkeypatch.setenv("PINDNA_CONFIG", str(tmp_path / "pindna.toml"))
    for name, _, source in (line.partition(":") for line in unit(path)["LoadCredential"]):
        assert source == f"/etc/pindna/{name}"
        (tmp_path / name).write_text(f"redis://:word@{name.replace('_', '-')}:1", encoding="utf-8")
        (tmp_path / name).chmod(0o400)  # as systemd has it
    storage = load_settings().storage
    assert storage.data_dir == Path("/var/lib/pindna/data")
    assert storage.mongo_url.get_secret_value() == "redis://:word@mongo-url:1"
    assert storage.redis_url.get_secret_value() == "redis://:word@redis-url:1"


def test_image_has_every_package_and_its_user_is_not_root():
    text = DOCKERFILE.read_text(encoding="utf-8")
    packages = {path.parent.name for path in Path().glob("*/__init__.py")} - {"benchmarks"}
    assert packages == set(re.findall(r"^COPY ([a-z]+) \1$", text, re.MULTILINE))
    ignored = (DOCKER / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    assert packages <= {line.removeprefix("!") for line in ignored}
    assert all(re.search(rf"^{extra} = \[", Path("pyproject.toml").read_text(), re.MULTILINE)
               for extra in ("browser", "console"))  # fmt: skip
    for stage in text.split("\nFROM ")[2:4]:
        assert re.findall(r"^USER (\S+)$", stage, re.MULTILINE)[-1] == "10001:10001"
    assert {service["image"] for service in services().values()} == {f"pindna:{VERSION}"}


@pytest.mark.parametrize("name", services())
def test_container_is_bounded_closed_and_started_again(name):
    service = services()[name]
    assert (service["mem_limit"], service["pids_limit"]) == ("2g", 1024)
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert service["restart"] == "unless-stopped"
    assert service["logging"]["options"] == {"max-size": "50m", "max-file": "5"}
    example = (DOCKER / "env.example").read_text(encoding="utf-8")
    assert {line.partition("=")[0] for line in example.splitlines() if line[0] != "#"} == IN_ENV.keys()


SECRETS = {".env", "prometheus-token", "secrets", "secrets.new"}


def test_compose_secrets_enter_no_repository_image_or_wheel():
    """The files are next to the compose file, as its comments say."""
    ignored = Path(".gitignore").read_text(encoding="utf-8").splitlines()
    context = (DOCKER / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    after_deploy = context[context.index("!deploy") + 1 :]  # the last line that fits decides
    for name in SECRETS:
        assert any(fnmatch(f"/{DOCKER}/{name}", pattern) for pattern in ignored)
        assert any(fnmatch(f"/{DOCKER}/{name}", f"/{pattern}") for pattern in after_deploy)
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["deploy"]
    packed = {path for pattern in patterns for path in Path("deploy").glob(pattern)}
    assert {path for path in packed if path.parent == DOCKER} == {
        path for path in DOCKER.iterdir() if path.name not in SECRETS
    }
    assert not any("*" in pattern for pattern in patterns if pattern.startswith("docker/"))


def test_documented_run_commands_use_no_occupied_address():
    documented = Path("docs/deploying.md").read_text(encoding="utf-8") + COMPOSE.read_text(encoding="utf-8")
    assert "docker compose exec console pindna" in documented
    for name in re.findall(r"docker compose run (?:--rm )?(\w+)", documented):
        assert "ipv4_address" not in str(services()[name]["networks"])


def test_schedule_file_of_beat_outlives_its_container():
    schedule = parsed(services()["beat"]["command"])["schedule"]
    kept = [volume.partition(":")[2] for volume in services()["beat"]["volumes"]]
    assert any(schedule.startswith(f"{folder}/") for folder in kept)


def test_no_secret_comes_by_a_variable():
    """Environment and arguments of a container are visible to everyone who lists processes."""
    assert set(re.findall(r"\$\{(\w+)", COMPOSE.read_text(encoding="utf-8"))) == IN_ENV.keys()


def test_every_container_has_exactly_the_secrets_that_it_names():
    read = composed()
    for name, service in read["services"].items():
        named = set(re.findall(r"/run/secrets/([\w.]+)", str({**service, "secrets": ()})))
        assert named == set(service.get("secrets", ())), name
    assert {source["file"] for source in read["secrets"].values()} == {
        f"./secrets/{name}" for name in read["secrets"]
    }


def test_every_secret_is_created_once_for_a_single_user(secrets):
    made = {path.name for path in secrets.iterdir()}
    assert made == composed()["secrets"].keys()
    assert {path.stat().st_mode & 0o777 for path in secrets.iterdir()} == {0o400}
    assert secrets.stat().st_mode & 0o777 == 0o700
    owners = dict(
        reversed(line.replace("secrets.new/", "").split())
        for line in (secrets.parent / "owners").read_text(encoding="utf-8").splitlines()
    )
    image = DOCKERFILE.read_text(encoding="utf-8")
    pindna = re.search(r"--uid (\d+)", image)[1]
    servers = dict.fromkeys(("mongo_key", "mongo_password", "valkey.conf"), "999")
    assert owners == {"mongo_url": pindna, "redis_url": pindna, "grafana_password": "472", **servers}
    password = (secrets / "mongo_password").read_text(encoding="utf-8")
    assert len(password) == 48
    assert f"pindna:{password}@mongo" in (secrets / "mongo_url").read_text(encoding="utf-8")
    again = subprocess.run([secrets.parent / "make-secrets.sh"], capture_output=True, text=True, check=False)
    assert (again.returncode, again.stderr.count("\n")) == (1, 1)


def test_key_value_server_reads_its_password_from_the_secret(secrets, tmp_path):
    command = composed()["services"]["redis"]["command"]
    options = [word for word in command[2:] if word not in ("--appendonly", "yes")]
    assert command[:2] == ["valkey-server", "/run/secrets/valkey.conf"]
    with redis_process(tmp_path, *options, config=secrets / "valkey.conf") as port:
        with redis.Redis(port=port, password="pass-word") as client:  # noqa: S106 - the test's own
            assert client.ping()
        with redis.Redis(port=port) as client, pytest.raises(redis.AuthenticationError):
            client.ping()


def test_mounted_files_of_grafana_and_prometheus_exist():
    read = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]
    for name in ("prometheus", "grafana"):
        places = [volume.split(":")[0] for volume in read[name]["volumes"]]
        for place in places:
            assert not place.startswith("../") or (DOCKER / place).is_file(), place
    assert "GF_SECURITY_ADMIN_PASSWORD__FILE" in read["grafana"]["environment"]


def run(program, *arguments, **options):
    path = require_checker(program)
    told = subprocess.run([path, *arguments], capture_output=True, text=True, check=False, **options)
    assert told.returncode == 0, told.stdout + told.stderr
    return told.stdout + told.stderr


def test_docker_compose_reads_the_compose_file(monkeypatch):
    for name, value in IN_ENV.items():
        monkeypatch.setenv(name, value)
    run("docker-compose", "-f", str(COMPOSE), "config", "--quiet")


def test_systemd_rates_the_units_as_hardened(tmp_path):
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("celery", "pindna"):
        (programs / name).symlink_to(shutil.which("true"))
    for path in SYSTEMD.iterdir():
        text = path.read_text(encoding="utf-8").replace("/opt/pindna/bin", str(programs))
        (tmp_path / path.name).write_text(text, encoding="utf-8")
    names = [path.name for path in UNITS]
    assert run("systemd-analyze", "verify", *(f"./{name}" for name in names), cwd=tmp_path) == ""
    for name in names:
        told = run(
            "systemd-analyze", "security", "--offline=true", "--threshold=20", f"./{name}", cwd=tmp_path
        )
        assert "Overall exposure level" in told


def test_compose_file_s_mongodb_gives_backups_a_moment(secrets):
    """A replica set with one member, created by its health check under the name that clients use."""
    mongo = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]["mongo"]
    name = mongo["command"][mongo["command"].index("--replSet") + 1]
    script = mongo["healthcheck"]["test"][-1]
    assert f'rs.initiate({{ _id: "{name}", members: [{{ _id: 0, host: "mongo:27017" }}] }})' in script
    address = (secrets / "mongo_url").read_text(encoding="utf-8")
    assert parse_qs(urlsplit(address).query)["replicaSet"] == [name]
    for service in services().values():
        assert service["depends_on"]["mongo"] == {"condition": "service_healthy"}
