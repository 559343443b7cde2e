"""Addresses of servers of one's own, in every form that the documents name."""

import os
import re
from urllib.parse import urlsplit

import pytest
from support.name_server import name_server
from support.processes import worker
from support.replica_set import certificates, replica_set
from support.tls_front import tls_in_front_of
from support.waiting import wait_until

from deploy.cli.session import export
from storage.settings import load_settings

pytestmark = pytest.mark.services


def in_files(environment, folder):
    """Move both addresses out of the environment, into files that it names."""
    for name in ("MONGO_URL", "REDIS_URL"):
        path = folder / name.lower()
        path.write_text(environment.pop(f"PINDNA_STORAGE__{name}") + "\n", encoding="utf-8")
        path.chmod(0o440)
        environment[f"PINDNA_STORAGE__{name}_FILE"] = str(path)


def test_commands_work_with_addresses_in_files(pindna, environment, tmp_path):
    in_files(environment, tmp_path)
    pindna("source", "add", "here", "http://x.example/")
    assert "here" in pindna("source", "list").stdout


def test_secret_file_readable_by_other_users_is_reported_in_a_line(pindna, environment, tmp_path):
    in_files(environment, tmp_path)
    path = tmp_path / "mongo_url"
    path.chmod(0o444)
    problems = {
        "en": f"is wrong: other users can read {path}, or",
        "zh": f"有误：其他用户可以读取 {path}，或",
    }
    for language, problem in problems.items():
        environment["PINDNA_ANALYSIS__LANGUAGE"] = language
        line = pindna("source", "list", status=2).stderr
        assert f"storage.mongo_url_file {problem}" in line
        assert line.count("\n") == 1


def test_address_in_a_file_goes_into_no_environment_of_other_processes(monkeypatch, environment, tmp_path):
    in_files(environment, tmp_path)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    settings = load_settings()
    password = settings.storage.mongo_url.get_secret_value().split("@")[0].rpartition(":")[2]
    export(settings)
    assert len(password) > 10
    assert not [name for name, value in os.environ.items() if password in value]


SRV, TXT, A = "SRV", "TXT", "A"
NAMES = {
    ("one.db.example.", A): ["127.0.0.1"],
    ("papers.db.example.", TXT): ['"replicaSet=secantus"'],
}


@pytest.fixture(scope="module")
def members(services, tmp_path_factory):  # noqa: ARG001 - skips or fails where there are no servers
    with replica_set(tmp_path_factory.mktemp("set")) as server:
        yield server


def records(*targets):
    return {**NAMES, ("_mongodb._tcp.papers.db.example.", SRV): [f"0 0 {target}" for target in targets]}


BAD_RECORDS = {
    "en": "Setting storage.mongo_url is wrong: the DNS records (SRV, TXT) of its name contain servers of "
    "another domain, or options that are not allowed. Correct it in pindna.toml or the environment.\n",
    "zh": "设置 storage.mongo_url 有误：该域名的 DNS 记录（SRV、TXT）指向其他域的服务器，或含有不允许的选项。"
    "请在 pindna.toml 或环境变量中更正。\n",
}


@pytest.fixture
def by_name(environment, members):
    """Set an address of which DNS says the rest: TLS follows from it, the set's name from a TXT record."""
    environment["PINDNA_STORAGE__MONGO_URL"] = (
        f"mongodb+srv://papers.db.example/?tlsCAFile={members.authority}"
    )
    environment["PINDNA_STORAGE__TIMEOUT_S"] = "5"
    return environment


def test_document_server_is_resolved_by_its_srv_record(pindna, by_name, members):
    assert ":27017" not in by_name["PINDNA_STORAGE__MONGO_URL"]  # the port is in the record alone
    with name_server(records(f"{members.port} one.db.example.")) as asked:
        pindna("source", "add", "here", "http://x.example/")
        assert "here" in pindna("source", "list").stdout
        checks = pindna("doctor", status=None).stdout
    assert {("_mongodb._tcp.papers.db.example.", SRV), ("papers.db.example.", TXT)} <= set(asked)
    assert re.search(r"MongoDB.*one\.db\.example", checks)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("known", "line"),
    [
        (
            {},
            {
                "en": "The host name in papers.db.example:27017, the address of MongoDB, cannot be resolved. "
                "Correct storage.mongo_url, or fix the name resolution (DNS) of this machine.\n",
                "zh": "MongoDB 的地址 papers.db.example:27017 中的主机名无法解析。"
                "请改正 storage.mongo_url，或修复本机的域名解析（DNS）。\n",
            },
        ),
        (
            records("1 one.db.example."),
            {
                "en": "Nothing listens at one.db.example:1, the address of MongoDB. "
                "Start MongoDB, or correct storage.mongo_url.\n",
                "zh": "无法连接 MongoDB：地址 one.db.example:1 上没有服务在运行。"
                "请启动 MongoDB，或改正 storage.mongo_url。\n",
            },
        ),
        (records("1 one.elsewhere.example."), BAD_RECORDS),
        ({**records("1 one.db.example."), ("papers.db.example.", TXT): ['"tls=false"']}, BAD_RECORDS),
        ({**records("1 one.db.example."), ("papers.db.example.", TXT): ['"a"', '"b"']}, BAD_RECORDS),
    ],
)
def test_srv_name_without_a_server_is_reported_in_a_line(pindna, by_name, known, line, language):
    by_name |= {"PINDNA_ANALYSIS__LANGUAGE": language, "PINDNA_STORAGE__TIMEOUT_S": "1"}
    with name_server(known):
        assert pindna("source", "list", status=None).stderr == line[language]


def test_redis_is_reached_by_tls_with_a_private_authority(pindna, environment, tmp_path):
    authority, own = certificates(tmp_path)
    address = urlsplit(environment["PINDNA_STORAGE__REDIS_URL"])
    with tls_in_front_of(address.port, own) as port:
        place = f"{address.netloc.rpartition('@')[0]}@127.0.0.1:{port}{address.path}"
        environment["PINDNA_STORAGE__REDIS_URL"] = f"rediss://{place}?ssl_ca_certs={authority}"
        environment["PINDNA_STORAGE__TIMEOUT_S"] = "2"
        with worker(environment, tmp_path / "log"):
            wait_until(lambda: "pindna-" in pindna("doctor", status=None).stdout)
        environment["PINDNA_STORAGE__REDIS_URL"] = f"rediss://{place}"
        line = pindna("index", "stats", status=3).stderr
    assert line.count("\n") == 1
    assert f"127.0.0.1:{port}" in line
