"""The services of a command: the configured servers, or the embedded ones if none are configured."""

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from deploy.cli.console import print_error
from storage.settings import Settings, load_settings
from system.errors import BadSettings, PindnaError
from system.exit_status import ExitStatus
from system.messages import N_
from tracker.runtime import Runtime, open_runtime

if TYPE_CHECKING:
    from deploy.stack import EmbeddedStack

_watched: list["EmbeddedStack"] = []  # end with this command, if no other one uses them


class NoServers(PindnaError):
    """No servers are configured, and the embedded servers are not installed."""

    template = (
        "There are no servers. Run pip install 'pindna[embedded]' for embedded ones, "
        "or set storage.mongo_url and storage.redis_url to servers of your own."
    )
    exit_status = ExitStatus.DOWN


def services_stay() -> bool:
    """Return whether services and workers continue after this command ends."""
    return not any(stack.is_alone() for stack in _watched)


@contextmanager
def session(*, worker: bool = False) -> Iterator[Runtime]:
    """Open the stores; if no URLs are set, run embedded services until the command ends.

    Args:
        worker: the command needs a Celery worker; with configured services the user runs it.
    """
    settings = load_settings()
    with services(settings, worker=worker) as ready:
        runtime = open_runtime(ready)
        try:
            yield runtime
        finally:
            runtime.close()


@contextmanager
def services(settings: Settings, *, worker: bool = False) -> Iterator[Settings]:
    """Yield settings whose servers answer, without opening the stores."""
    if uses_own_services(settings):
        yield settings
        return
    try:
        from deploy.stack import embedded_stack  # noqa: PLC0415 - psutil is of an extra
    except ModuleNotFoundError as error:
        raise NoServers from error

    with embedded_stack(settings.storage.data_dir, worker=worker, settings=settings) as stack:
        export(stack.settings)
        with watching(stack):
            yield stack.settings


@contextmanager
def watching(stack: "EmbeddedStack") -> Iterator[None]:
    """While the block runs, restart embedded services that die, in the background."""
    stop = threading.Event()
    watcher = threading.Thread(target=_watch, args=(stack, stop), name="pindna-watch", daemon=True)
    watcher.start()
    _watched.append(stack)
    try:
        yield
    finally:
        _watched.remove(stack)
        stop.set()
        watcher.join()


def _watch(stack: "EmbeddedStack", stop: threading.Event) -> None:
    try:
        stack.watch(stop)
    except PindnaError as error:
        print_error(error)  # the command itself also notices that the service is down


def uses_own_services(settings: Settings) -> bool:
    """Return whether servers are configured, so that no embedded servers are used."""
    urls = settings.storage.mongo_url, settings.storage.redis_url
    if any(urls) and not all(urls):
        missing = "storage.redis_url" if urls[0] else "storage.mongo_url"
        raise BadSettings(where=missing, problem=N_("set both server addresses or none of them"))
    return all(urls)


def export(settings: Settings, extra: Mapping[str, str] | None = None) -> None:
    """Pass the addresses of the services to child processes and to Celery in this process.

    An address that is in a file is not passed, because child processes read the file themselves.
    """
    storage = settings.storage
    if storage.mongo_url is not None and storage.redis_url is not None:
        if storage.mongo_url_file is None:
            os.environ["PINDNA_STORAGE__MONGO_URL"] = storage.mongo_url.get_secret_value()
        if storage.redis_url_file is None:
            os.environ["PINDNA_STORAGE__REDIS_URL"] = storage.redis_url.get_secret_value()
    os.environ.update(extra or {})
