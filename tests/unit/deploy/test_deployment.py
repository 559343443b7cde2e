"""Compose file, image and units name commands, options, settings and queues that exist."""

import re
import shlex
import shutil
import subprocess
import tomllib
from itertools import chain
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import click
import pytest
import yaml
from celery.bin.beat import beat
from celery.bin.worker import worker
from support.checkers import require_checker
from typer.main import get_command

from deploy.cli.app import application
from deploy.cli.serve import require_safe
from storage.settings import load_settings
from storage.version import VERSION
from tracker.queues import EARLIER, QUEUES

DOCKER, SYSTEMD = Path("deploy") / "docker", Path("deploy") / "systemd"
COMPOSE, DOCKERFILE = DOCKER / "compose.yaml", DOCKER / "Dockerfile"
UNITS = sorted(SYSTEMD.glob("*.service"))
IN_ENV = {
    "GRAFANA_PASSWORD": "g",
    "MONGO_KEY": "k",
    "MONGO_PASSWORD": "m",
    "PINDNA_MEMORY": "2g",
    "REDIS_PASSWORD": "r",
    "CONSOLE_NAME": "pindna.example",
    "CONSOLE_ADDRESS": "192.0.2.1",
}
CELERY = {"worker": worker, "beat": beat}


def services():
    """The services of the compose file that run pindna, with variables filled in as compose does."""
    text = re.sub(
        r"\$\{(\w+)(:[?-][^}]*)?\}", lambda name: IN_ENV[name[1]], COMPOSE.read_text(encoding="utf-8")
    )
    read = yaml.safe_load(text)["services"]
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


def parsed(command):
    """Return the options of a command as its own parser reads them; it raises for what it does not know."""
    program, *words = command
    if Path(program).name == "pindna":
        chosen = get_command(application(words)).commands[words[0]]
        known = {word for option in chosen.params for word in option.opts}
        assert {word for word in words if word.startswith("-")} <= known
        return {"command": words[0]}
    assert Path(program).name == "celery"
    words = words[1:] if words[0] == "-q" else words  # beat prints no banner
    assert words[:2] == ["-A", "tracker"]
    chosen = CELERY[words[2]]
    options, rest, _ = chosen.make_parser(click.Context(chosen)).parse_args(words[3:])
    assert rest == []
    return options


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_the_options_that_it_is_given(name):
    assert parsed(COMMANDS[name])


def test_a_word_that_is_mistyped_is_found():
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


@pytest.mark.parametrize("name", services())
def test_settings_of_the_compose_file_are_settings(name, monkeypatch):
    for variable, value in services()[name]["environment"].items():
        monkeypatch.setenv(variable, value)
    settings = load_settings()
    assert settings.storage.mongo_url
    assert settings.tracker.log_format == "json"
    if name == "console":
        server = settings.analysis.server.model_copy(update={"host": "0.0.0.0"})  # noqa: S104 - as it is served
        require_safe(server)


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_settings_of_a_unit_are_settings(path, monkeypatch, tmp_path):
    (tmp_path / "pindna.toml").touch()
    for variable, value in environment_of(unit(path)).items():
        if variable.startswith("PINDNA_"):
            monkeypatch.setenv(variable, value)
    monkeypatch.setenv("PINDNA_CONFIG", str(tmp_path / "pindna.toml"))
    assert load_settings().storage.data_dir == Path("/var/lib/pindna/data")


def test_the_image_has_every_package_and_its_user_is_not_root():
    text = DOCKERFILE.read_text(encoding="utf-8")
    packages = {path.parent.name for path in Path().glob("*/__init__.py")} - {"benchmarks"}
    assert packages == set(re.findall(r"^COPY (\w+) \1$", text, re.MULTILINE))
    ignored = (DOCKER / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    assert packages <= {line.removeprefix("!") for line in ignored}
    assert all(re.search(rf"^{extra} = \[", Path("pyproject.toml").read_text(), re.MULTILINE)
               for extra in ("browser", "console"))  # fmt: skip
    for stage in text.split("\nFROM ")[2:4]:
        assert re.findall(r"^USER (\S+)$", stage, re.MULTILINE)[-1] == "10001:10001"
    assert {service["image"] for service in services().values()} == {f"pindna:{VERSION}"}


@pytest.mark.parametrize("name", services())
def test_a_container_is_bounded_closed_and_started_again(name):
    service = services()[name]
    assert (service["mem_limit"], service["pids_limit"]) == ("2g", 1024)
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert service["restart"] == "unless-stopped"
    assert service["logging"]["options"] == {"max-size": "50m", "max-file": "5"}
    example = (DOCKER / "env.example").read_text(encoding="utf-8")
    assert {line.partition("=")[0] for line in example.splitlines() if line[0] != "#"} == IN_ENV.keys()


SECRETS = {".env", "prometheus-token"}


def test_secrets_of_the_compose_file_come_into_no_repository_image_or_wheel():
    """They lie beside it, where its comments have people put them."""
    ignored = Path(".gitignore").read_text(encoding="utf-8").splitlines()
    assert {f"/{DOCKER}/{name}" for name in SECRETS} <= set(ignored)
    context = (DOCKER / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    for name in SECRETS:  # the last line that fits decides
        assert context.index(f"**/{name}") > context.index("!deploy")
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["deploy"]
    packed = {path for pattern in patterns for path in Path("deploy").glob(pattern)}
    assert {path for path in packed if path.parent == DOCKER} == {
        path for path in DOCKER.iterdir() if path.name not in SECRETS
    }
    assert not any("*" in pattern for pattern in patterns if pattern.startswith("docker/"))


def test_no_second_container_is_told_to_take_an_address_that_one_has():
    documented = Path("docs/operations.md").read_text(encoding="utf-8") + COMPOSE.read_text(encoding="utf-8")
    assert "docker compose exec console pindna" in documented
    for name in re.findall(r"docker compose run (?:--rm )?(\w+)", documented):
        assert "ipv4_address" not in str(services()[name]["networks"])


def test_what_beat_knows_of_its_last_messages_outlives_its_container():
    schedule = parsed(services()["beat"]["command"])["schedule"]
    kept = [volume.partition(":")[2] for volume in services()["beat"]["volumes"]]
    assert any(schedule.startswith(f"{folder}/") for folder in kept)


def test_the_password_of_redis_is_no_argument(tmp_path):
    (tmp_path / "valkey-server").write_text('#!/bin/sh\necho "$@"\ncat "$1"\n', encoding="utf-8")
    (tmp_path / "valkey-server").chmod(0o700)
    sh, c, script = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]["redis"]["command"]
    own = script.replace("/dev/shm", str(tmp_path)).replace("$$", "$")  # noqa: S108 - as compose does
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "REDISCLI_AUTH": "pass-word"}
    told = subprocess.run([sh, c, own], env=environment, capture_output=True, text=True, check=True).stdout
    arguments, configuration = told.splitlines()
    assert "pass-word" not in arguments
    assert configuration == "requirepass pass-word"
    assert (tmp_path / "valkey.conf").stat().st_mode & 0o777 == 0o600


def test_files_that_grafana_and_prometheus_are_given_are_there():
    read = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]
    for name in ("prometheus", "grafana"):
        places = [volume.split(":")[0] for volume in read[name]["volumes"]]
        for place in places:
            assert not place.startswith("../") or (DOCKER / place).is_file(), place
    assert "GF_SECURITY_ADMIN_PASSWORD" in read["grafana"]["environment"]


def run(program, *arguments, **options):
    path = require_checker(program)
    told = subprocess.run([path, *arguments], capture_output=True, text=True, check=False, **options)
    assert told.returncode == 0, told.stdout + told.stderr
    return told.stdout + told.stderr


def test_docker_compose_reads_the_compose_file(monkeypatch):
    for name, value in IN_ENV.items():
        monkeypatch.setenv(name, value)
    run("docker-compose", "-f", str(COMPOSE), "config", "--quiet")


def test_systemd_reads_the_units_and_finds_them_closed(tmp_path):
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


def test_the_compose_file_s_mongodb_gives_backups_a_moment():
    """A replica set of one, which its health check makes, under the name that all others ask for."""
    mongo = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]["mongo"]
    name = mongo["command"][mongo["command"].index("--replSet") + 1]
    script = mongo["healthcheck"]["test"][-1]
    assert f'rs.initiate({{ _id: "{name}", members: [{{ _id: 0, host: "mongo:27017" }}] }})' in script
    key = mongo["command"][mongo["command"].index("--keyFile") + 1]
    assert f'"$$MONGO_KEY" > {key}' in mongo["entrypoint"][2]
    for service in services().values():
        address = service["environment"]["PINDNA_STORAGE__MONGO_URL"]
        assert parse_qs(urlsplit(address).query)["replicaSet"] == [name]
        assert service["depends_on"]["mongo"] == {"condition": "service_healthy"}
