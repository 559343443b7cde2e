"""One console for all modules of a process, on stores with finds in them; a browser for each module."""

from collections.abc import Iterator

import pytest
from support.console import Console, ServedConsole, seen_in_browser, serving_console
from support.processes import settings_on

from deploy.stack import EmbeddedStack


@pytest.fixture(scope="session")
def served_console(
    services: EmbeddedStack, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServedConsole]:
    """The server; what one test decides, another sees, so each takes finds of its own."""
    folder = tmp_path_factory.mktemp("console")
    with serving_console(settings_on(services, folder, redis_database=14), folder) as serving:
        yield serving


@pytest.fixture(scope="module")
def console(served_console: ServedConsole) -> Iterator[Console]:
    """A running console and a browser."""
    with seen_in_browser(served_console) as running:
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
