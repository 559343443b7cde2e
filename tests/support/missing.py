"""What this machine lacks, and which tests are skipped therefore: said once, when the whole suite begins."""

import os
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from support.history import earlier

from crawler.download.browser.chromium import browser_path, has_driver
from deploy.stack.errors import EmbeddedMissing
from deploy.stack.programs import redis_server, require_document_server
from storage.settings import CrawlerSettings

_PROGRAMS = {
    "cc": "with clocks that are set",
    "docker-compose": "of the compose file",
    "ip": "of machines whose network fails",
    "openssl": "that verify seals with another program",
    "promtool": "of the alert rules",
    "systemd-analyze": "of the systemd units",
}
_DURATION = "The whole suite takes about 20 minutes on two cores that have nothing else to do."


def report_lines(*, shared_data: Path) -> list[str]:
    """Return the lines that report how long a run takes and which tests it skips.

    Args:
        shared_data: the folder of real texts, which few people have.
    """
    skipped = [f"Skipped: tests {tests}, because {reason}." for tests, reason in _skipped(shared_data)]
    end = "Set CI=true to let missing programs fail instead." if skipped else "Nothing is skipped."
    return [_DURATION, *skipped, end]


def _skipped(shared_data: Path) -> Iterator[tuple[str, str]]:
    if browser_path(CrawlerSettings()) is None or not has_driver():
        yield "of rendered pages, reports and the console", "there is no Chromium (apt-get install chromium)"
    try:
        redis_server()
        require_document_server()
    except EmbeddedMissing as error:
        yield "with real servers", str(error).rstrip(".")
    for program, tests in _PROGRAMS.items():
        if shutil.which(program) is None:
            yield tests, f"{program} is not installed"
    if find_spec("kubernetes_validate") is None:
        yield "of deploy/kubernetes", "kubernetes-validate is not installed"
    if reason := earlier.what_lacks():
        yield "with workers of the version before", reason
    if not shared_data.is_dir():
        yield "on real texts", "there is no folder shared/data next to the checkout"
    if os.geteuid() != 0:
        yield "of full disks and of other users", "only root can run them"
