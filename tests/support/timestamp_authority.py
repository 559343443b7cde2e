"""A timestamp authority of the tests' own: `openssl ts` behind a local HTTP server."""

import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

_CONFIG = """
[tsa]
serial = {folder}/serial
signer_cert = {folder}/tsa.pem
signer_key = {folder}/tsa.key
signer_digest = sha256
default_policy = 1.3.6.1.4.1.99999.1
digests = sha256
accuracy = secs:1
ess_cert_id_chain = no
ess_cert_id_alg = sha256
"""
_EXTENSIONS = """
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
"""


def _openssl(*arguments, **options):
    return subprocess.run(
        [shutil.which("openssl"), *map(str, arguments)], check=True, capture_output=True, **options
    ).stdout


def _make(folder):
    """Make the authority's root and its signing certificate."""
    (folder / "openssl.cnf").write_text(_CONFIG.format(folder=folder))
    (folder / "extensions.cnf").write_text(_EXTENSIONS)
    (folder / "serial").write_text("01")
    ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    _openssl(
        "req", "-x509", *ec, "-keyout", folder / "root.key", "-out", folder / "root.pem",
        "-subj", "/CN=Root of the tests", "-days", "30", "-addext", "keyUsage=critical,keyCertSign,cRLSign",
    )  # fmt: skip
    _openssl(
        "req",
        *ec,
        "-keyout",
        folder / "tsa.key",
        "-out",
        folder / "tsa.csr",
        "-subj",
        "/CN=Authority of the tests",
    )
    _openssl(
        "x509", "-req", "-in", folder / "tsa.csr", "-CA", folder / "root.pem", "-CAkey", folder / "root.key",
        "-CAcreateserial", "-out", folder / "tsa.pem", "-days", "20", "-extfile", folder / "extensions.cnf",
    )  # fmt: skip


class Authority:
    """A running authority.

    Attributes:
        url: its address.
        root: the file of its root certificate.
        asked: headers of each request.
        answers: what it answers in place of a timestamp, if not None.
    """

    def __init__(self, folder):
        self.folder, self.root = folder, folder / "root.pem"
        self.asked, self.answers, self.url = [], None, ""

    def reply(self, query):
        with tempfile.TemporaryDirectory(dir=self.folder) as place:
            request = Path(place) / "query"
            request.write_bytes(query)
            config = self.folder / "openssl.cnf"
            return _openssl("ts", "-reply", "-config", config, "-section", "tsa", "-queryfile", request)


@contextmanager
def timestamp_authority(folder):
    """Run an authority whose files are in a folder."""
    _make(folder)
    authority = Authority(folder)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_POST(self):
            query = self.rfile.read(int(self.headers["Content-Length"]))
            authority.asked.append(dict(self.headers))
            status, body = authority.answers or (200, authority.reply(query))
            self.send_response(status)
            self.send_header("Content-Type", "application/timestamp-reply")
            self.send_header("Content-Length", str(len(body)))
            if 300 <= status < 400:
                self.send_header("Location", "http://127.0.0.1:1/")
            self.end_headers()
            self.wfile.write(body)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        authority.url = f"http://127.0.0.1:{server.server_port}/tsa"
        yield authority
        server.shutdown()
