"""A replica set of one by its own word, with TLS by a private authority, that fails when it is told to."""

import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pymongo import MongoClient
from support.waiting import wait_until
from support.wrong_servers import _listens, free_port


@dataclass(frozen=True, slots=True)
class ReplicaSet:
    """Such a server.

    Attributes:
        port: where it listens, on loopback.
        authority: file with the certificate that its own leads to.
    """

    port: int
    authority: Path

    @property
    def url(self) -> str:
        """Its address, with all that a client must know."""
        options = f"replicaSet=secantus&heartbeatFrequencyMS=500&tls=true&tlsCAFile={self.authority}"
        return f"mongodb://127.0.0.1:{self.port}/?{options}"

    def fail(self, *commands: str, times: int = 1, **how: object) -> None:
        """Let the next commands fail as MongoDB's ``configureFailPoint`` says."""
        data: Mapping[str, Any] = {"failCommands": list(commands), "appName": "pindna", **how}
        with closing(MongoClient(self.url)) as client:
            client.admin.command("configureFailPoint", "failCommand", mode={"times": times}, data=data)


@contextmanager
def replica_set(folder: Path) -> Iterator[ReplicaSet]:
    """Run such a server."""
    authority, own = certificates(folder)
    server = ReplicaSet(free_port(), authority)
    command = [
        sys.executable,
        "-m",
        "secantus",
        "--storage-path",
        folder / "data",
        "--port",
        str(server.port),
    ]
    tls = ["--tls-cert-file", own, "--tls-key-file", own, "--enable-test-commands", "--log-level", "WARNING"]
    process = subprocess.Popen([*map(str, command), *map(str, tls)], cwd=folder)
    try:
        wait_until(lambda: _listens(server.port))
        yield server
    finally:
        process.kill()
        process.wait()


def certificates(folder: Path) -> tuple[Path, Path]:
    """Make an authority, and a certificate of this machine's names and of ``one.db.example``.

    Returns:
        The authority's file, and one with certificate and key.
    """
    ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    root, key, own = folder / "ca.pem", folder / "ca.key", folder / "own.pem"
    _openssl("req", "-x509", *ec, "-keyout", key, "-out", root, "-subj", "/CN=Authority", "-days", "9")
    names = ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:one.db.example"]
    signed = ["-CA", root, "-CAkey", key, "-days", "9"]
    _openssl(
        "req", "-x509", *ec, *signed, "-keyout", folder / "k", "-out", folder / "c", "-subj", "/CN=x", *names
    )
    own.write_bytes((folder / "c").read_bytes() + (folder / "k").read_bytes())
    return root, own


def _openssl(*arguments: object) -> None:
    subprocess.run([shutil.which("openssl"), *map(str, arguments)], check=True, capture_output=True)
