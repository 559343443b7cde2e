"""One console for all modules of a process: a server, stores with finds in them, a browser."""

from collections.abc import Iterator

import pytest
from support.console import Console, running_console
from support.processes import settings_on

from deploy.stack import EmbeddedStack


@pytest.fixture(scope="session")
def console(services: EmbeddedStack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    """A running console; what one test decides, another sees, so each takes finds of its own."""
    folder = tmp_path_factory.mktemp("console")
    with running_console(settings_on(services, folder, redis_database=14), folder) as running:
        yield running


@pytest.fixture(autouse=True)
def _no_complaints(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test whose pages made the browser complain, of a script or of the content security policy."""
    if "console" not in request.fixturenames:
        yield
        return
    running: Console = request.getfixturevalue("console")
    running.problems.clear()
    yield
    assert running.problems == []
