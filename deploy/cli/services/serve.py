"""``pindna serve``: serve the web console and the REST API."""

import os
import re
from pathlib import Path
from typing import Annotated

import typer

from analysis.words.i18n import gettext as _
from deploy.cli.console import log_lines, print_result
from deploy.cli.session import session
from storage.settings import load_settings
from storage.settings.results import LOOPBACK_NAMES, ServerSettings
from system.errors import BadSettings
from system.extras import are_installed, require_extra
from system.messages import N_
from tracker.runtime import Runtime

_NEEDED = ("argon2", "fastapi", "fastapi_offline", "limits", "nicegui", "pyotp", "uvicorn", "zxcvbn")
_NO_TLS = N_(
    "other machines could read passwords on their way: set certificate and key, or name the proxy that has "
    "them in trusted_proxies"
)
_NO_NAME = N_(
    "set analysis.server.public_url to the address that people type, such as https://pindna.example.org"
)
_NO_KEY = N_("certificate and key belong together: set both or none")
_LINK = re.compile(r"https?://\S+/first\?secret=[\w-]+")
_LOG_END = 65_536  # number of bytes at the end of a log that are searched for the link


class UnsafeServer(BadSettings):
    """With these settings it is not safe to serve the console. Data: ``where``, ``problem``."""


def serve(
    *,
    host: Annotated[
        str, typer.Option("--host", help=_("Address to listen on; default: analysis.server.host."))
    ] = "",
    port: Annotated[
        int | None, typer.Option("--port", min=1, max=65_535, help=_("Port; default: analysis.server.port."))
    ] = None,
) -> None:
    require_libraries()
    if host:
        os.environ["PINDNA_ANALYSIS__SERVER__HOST"] = host
    if port is not None:
        os.environ["PINDNA_ANALYSIS__SERVER__PORT"] = str(port)
    require_safe(load_settings().analysis.server)
    with session(worker=True) as runtime:
        serve_console(runtime)


def serve_console(runtime: Runtime) -> None:
    """Serve the console and the API until a signal ends the process.

    Args:
        runtime: settings and open stores.

    Raises:
        CannotListen: something else listens there.
    """
    from analysis.console.serving import ConsoleServer  # noqa: PLC0415 - its libraries are an extra

    log_lines(runtime.settings.tracker.log_format, program="console")
    server = ConsoleServer(runtime)
    server.listen()
    print_way_in(server.address, server.first_link)
    server.run()


def print_way_in(address: str, first_link: str) -> None:
    """Print the address of the console, and the link that creates the first administrator.

    Args:
        address: of the console.
        first_link: the link; empty: there is an administrator.
    """
    print_result(_("The console: {address}").format(address=address))
    if first_link:
        print_result(_("There is no administrator yet. Make one here within half an hour:"))
        print_result(f"  {first_link}")


def printed_link(log: Path) -> str:
    """Return the link that :func:`print_way_in` last printed into the log of a console; empty: none."""
    with log.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _LOG_END))
        links = _LINK.findall(file.read().decode("utf-8", "replace"))
    return links[-1] if links else ""


def has_libraries() -> bool:
    """Return whether the libraries of the console are installed."""
    return are_installed(*_NEEDED)


def require_libraries() -> None:
    """Check that the libraries of the console are installed.

    Raises:
        ExtraMissing: something is not.
    """
    require_extra(*_NEEDED)


def require_safe(settings: ServerSettings) -> None:
    """Check that no one can read passwords in transit: only local access, or TLS here or at a proxy.

    Raises:
        UnsafeServer: they could, or the server would not know its own name.
    """
    if (settings.certificate is None) != (settings.key is None):
        raise UnsafeServer(where="analysis.server.certificate", problem=_NO_KEY)
    if settings.host in LOOPBACK_NAMES:
        return
    if settings.certificate is None and not settings.trusted_proxies:
        raise UnsafeServer(where="analysis.server.host", problem=_NO_TLS)
    if not settings.public_url.startswith("https://"):
        raise UnsafeServer(where="analysis.server.public_url", problem=_NO_NAME)
