"""The console's HTTP server: its address, its start and its end."""

import gc
import socket
from functools import cached_property
from ipaddress import ip_address

import uvicorn

from analysis.accounts.first_link import first_link
from analysis.console.application import create_application
from analysis.console.installation import Installation
from analysis.console.protocol import PatientProtocol
from system.errors import PindnaError
from system.exit_status import ExitStatus
from tracker.runtime import Runtime

_MAX_CONNECTIONS = 1_000
_KEEP_ALIVE_S = 15
_SHUTDOWN_S = 5


class CannotListen(PindnaError):
    """The console cannot listen at its address. Data: ``address``, ``problem``."""

    template = (
        "The console cannot listen on {address}: {problem}. Choose another port with analysis.server.port."
    )
    exit_status = ExitStatus.DOWN


class ConsoleServer:
    """The HTTP server of the console and the API; a process can have only one.

    Args:
        runtime: settings and open stores.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._installation = Installation(runtime)
        self._settings = self._installation.settings
        self._sockets: list[socket.socket] = []
        self._first = first_link(self._installation.door)

    @property
    def address(self) -> str:
        """The address of the console for users."""
        return self._settings.address

    @property
    def first_link(self) -> str:
        """The link that creates the first administrator, valid for half an hour; empty if there is one."""
        return f"{self.address}/first?secret={self._first[1]}" if self._first else ""

    def listen(self) -> None:
        """Open the port. Connections are answered once the server runs.

        Raises:
            CannotListen: something else has it, or the address is not this machine's.
        """
        host, port = self._settings.host, self._settings.port
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            self._sockets = [socket.create_server((host, port), family=family, backlog=256)]
        except OSError as error:
            raise CannotListen(address=f"{host}:{port}", problem=error.strerror or str(error)) from error

    def run(self) -> None:
        """Serve requests until the process gets a signal to end.

        The garbage collector skips the imported modules, because they are never freed.
        """
        server = self._server
        gc.collect()
        gc.freeze()
        server.run(sockets=self._sockets)

    @cached_property
    def _server(self) -> uvicorn.Server:
        settings = self._settings
        proxies = [str(ip_address(proxy)) for proxy in settings.trusted_proxies]
        config = uvicorn.Config(
            create_application(self._installation, self._first[0] if self._first else None),
            ssl_certfile=settings.certificate,
            ssl_keyfile=settings.key,
            proxy_headers=bool(proxies),
            forwarded_allow_ips=proxies,
            server_header=False,
            log_config=None,
            log_level="warning",
            access_log=False,
            http=PatientProtocol,
            ws="websockets-sansio",
            ws_max_size=settings.upload_megabytes * 1024 * 1024,
            limit_concurrency=_MAX_CONNECTIONS,
            timeout_keep_alive=_KEEP_ALIVE_S,
            timeout_graceful_shutdown=_SHUTDOWN_S,
        )
        return uvicorn.Server(config)
