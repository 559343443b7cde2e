"""The API as programs have it: the real server in a thread, over real stores."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

import httpx
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from analysis.accounts.managing import Manager
from analysis.accounts.tokens import make_token
from analysis.api.application import create_api
from storage.records import Role
from storage.servers.redis_client import open_redis
from storage.servers.throttle import Throttle
from storage.settings import Settings
from tracker.runtime import Runtime, open_runtime


@dataclass
class Api:
    """A running API.

    Attributes:
        address: of the server.
        runtime: settings and stores that it works on.
        secrets: of a token of each account, by name.
    """

    address: str
    runtime: Runtime
    secrets: dict[str, str] = field(default_factory=dict)
    clients: dict[str, httpx.Client] = field(default_factory=dict)

    def add(
        self, name: str, role: Role, *, holders: tuple[str, ...] = (), scopes: tuple[str, ...] = ()
    ) -> str:
        """Make an account with a token, and return its secret."""
        stores, settings = self.runtime.stores, self.runtime.settings.analysis.server
        if stores.accounts.find(name) is None:
            Manager(stores, "the tests").add(name, role=role, holders=holders)
        secret, _ = make_token(
            stores, settings, account=name, label="", scopes=scopes, days=1, by="the tests"
        )
        self.secrets.setdefault(name, secret)
        return secret

    def client(self, name: str = "") -> httpx.Client:
        """Return a client with the token of an account; empty: with none."""
        if name not in self.clients:
            headers = {"Authorization": f"Bearer {self.secrets[name]}"} if name else {}
            address = f"{self.address}/api/v1"
            self.clients[name] = httpx.Client(base_url=address, headers=headers, timeout=30)
        return self.clients[name]


def _below_api(api: ASGIApp) -> ASGIApp:
    """Return the API as it answers below ``/api``; a mount would not hand on paths with line breaks."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await api({**scope, "root_path": "/api"}, receive, send)

    return app


@contextmanager
def running_api(settings: Settings) -> Iterator[Api]:
    """Serve the API over the stores of some settings."""
    with closing(open_runtime(settings)) as runtime, closing(open_redis(settings.storage)) as client:
        app = _below_api(create_api(runtime, Throttle(client)))
        with socket.create_server(("127.0.0.1", 0)) as listening:
            config = uvicorn.Config(app, log_level="critical", access_log=False, lifespan="off")
            server = uvicorn.Server(config)
            thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
            thread.start()
            while not server.started:
                assert thread.is_alive()
                time.sleep(0.01)
            api = Api(f"http://127.0.0.1:{listening.getsockname()[1]}", runtime)
            yield api
            for opened in api.clients.values():
                opened.close()
            server.should_exit = True
            thread.join(20)
        runtime.stores.database.client.drop_database(runtime.stores.database.name)
