"""A metrics server for a worker that limits what its clients can use up.

The worker's main process answers. ``start_http_server`` of prometheus_client keeps a thread for each
connection as long as it lasts: a thousand silent connections take the file descriptors that the worker needs
for Redis. This server handles a few connections at once, closes others, and ends each after some seconds.
"""

import logging
import socket
from collections.abc import Callable
from socketserver import ThreadingMixIn
from threading import BoundedSemaphore, Thread, Timer
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import CollectorRegistry, make_wsgi_app

log = logging.getLogger(__name__)

MAX_CONNECTIONS = 16
MAX_S = 10.0  # limit for a connection


class _MetricsHandler(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class calls it
        """Log nothing: requests of a scraper are of no interest."""


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 128  # connections that the kernel queues until they are served or closed

    def __init__(self, *arguments: Any) -> None:
        self._free = BoundedSemaphore(MAX_CONNECTIONS)
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Handle a connection in a thread, or close it if too many are open."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:  # no thread could be started
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Handle a connection until its time limit."""
        end = Timer(MAX_S, _end_connection, (request,))
        end.daemon = True
        try:
            end.start()
            super().process_request_thread(request, client_address)
        except RuntimeError:  # no thread could be started to end the connection
            self.shutdown_request(request)
        finally:
            end.cancel()
            self._free.release()

    def handle_error(self, *_connection: object) -> None:
        """Log a broken connection in the log's format."""
        log.debug("a connection to the metrics broke off")


class _Server6(_Server):
    address_family = socket.AF_INET6


def _end_connection(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)  # a thread that reads from the connection now gets its end
    except OSError:
        log.debug("a connection to the metrics had ended")


def serve(registry: CollectorRegistry, host: str, port: int) -> tuple[int, Callable[[], None]]:
    """Serve the metrics of a registry in a thread; return the port and a function that ends it.

    Args:
        registry: of the metrics.
        host: address of this machine to listen at.
        port: to listen at; 0: a free one.

    Raises:
        OSError: another program has the port, or the address is not this machine's.
    """
    kind = _Server6 if ":" in host else _Server
    server = make_server(host, port, make_wsgi_app(registry), kind, _MetricsHandler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()

    def end() -> None:
        server.shutdown()
        server.server_close()
        thread.join()

    return server.server_port, end
