"""Finds the installed browser and defines its options; all its connections use the forward proxy.

The switches are Chromium's own (https://peter.sh/experiments/chromium-command-line-switches/). Its sandbox is
on unless it runs as root, which the sandbox does not support.
"""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from storage.records import Source
from storage.settings import CrawlerSettings
from system.errors import PindnaError
from system.messages import N_

NAMES = ("chromium", "chromium-browser", "google-chrome")
_SWITCHES = (
    "--block-new-web-contents",
    "--disable-breakpad",
    "--disable-domain-reliability",
    "--disable-quic",  # QUIC would bypass the proxy
    "--dns-prefetch-disable",
    # Only the proxy resolves names, so a connection that bypasses it finds no address.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--js-flags=--max-old-space-size=512",
    "--no-pings",
    "--renderer-process-limit=4",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
)


class BrowserMissing(PindnaError):
    """A page must be rendered, and no browser is available.

    Attributes:
        wanted_by, missing, advice: what must be rendered, what is missing, and how to install it.
    """

    template = "{wanted_by} must be rendered in a browser, but {missing}. {advice}"


class BrowserFailed(PindnaError):
    """The browser did not start.

    Attributes:
        path, problem: the program, and its first error.
    """

    template = (
        "The browser {path} does not start ({problem}). Start it by hand to see why, or set "
        "crawler.browser_path."
    )


def has_driver() -> bool:
    """Return whether the extra that drives a browser is installed."""
    return find_spec("playwright") is not None and find_spec("scrapy_playwright") is not None


def has_sandbox() -> bool:
    """Return whether the browser runs its pages in its sandbox; as root it cannot."""
    return os.geteuid() != 0


def browser_path(settings: CrawlerSettings) -> Path | None:
    """Return the path of the browser's program, or None."""
    if settings.browser_path is not None:
        return settings.browser_path if os.access(settings.browser_path, os.X_OK) else None
    return next((Path(path) for name in NAMES if (path := shutil.which(name))), None)


def require_browser(settings: CrawlerSettings, *, wanted_by: str) -> Path:
    """Return the browser's program.

    Args:
        settings: with the configured path.
        wanted_by: what must be rendered: the name of a source, or an address.

    Raises:
        BrowserMissing: the browser, or its driver, is not installed.
    """
    if not has_driver():
        raise BrowserMissing(
            wanted_by=wanted_by,
            missing=N_("the optional browser support is not installed"),
            advice="Run pip install 'pindna[browser]'.",
        )
    path = browser_path(settings)
    if path is None:
        configured = settings.browser_path
        raise BrowserMissing(
            wanted_by=wanted_by,
            missing=N_("crawler.browser_path is not an executable program")
            if configured
            else N_("no browser is installed"),
            advice="Install chromium (apt-get install chromium), or set crawler.browser_path.",
        )
    return path


def launch_options(path: Path, *, proxy: str, folder: str, agent: str) -> dict[str, Any]:
    """Return the options with which Playwright starts the browser.

    Args:
        path: of its program.
        proxy: URL of the forward proxy. The browser's own traffic has no password and is refused there.
        folder: an empty home folder; no variable of our environment is passed on.
        agent: the user agent.
    """
    return {
        "executable_path": str(path),
        "headless": True,
        "args": [*_SWITCHES, f"--user-agent={agent}"],
        "proxy": {"server": proxy},
        "chromium_sandbox": has_sandbox(),
        "env": {"HOME": folder, "TMPDIR": folder, "PATH": os.defpath, "LANG": "C.UTF-8"},
        "handle_sigint": False,
        "handle_sigterm": False,
        "handle_sighup": False,
    }


def is_rendered_when_needed(source: Source, settings: CrawlerSettings) -> bool:
    """Return whether the pages of a source are rendered when needed: configured so, with a browser."""
    if source.render != "auto" or source.proxies or not settings.max_rendered_pages:
        return False
    return has_driver() and browser_path(settings) is not None


def scrapy_settings(path: Path, *, screenshot: bool, is_lazy: bool = False) -> dict[str, Any]:
    """Return the settings of a crawl whose pages are rendered.

    Args:
        path: of the browser's program.
        screenshot: store screenshots of texts.
        is_lazy: start the browser only with the first page that needs it.
    """
    handler = "lazy.LazyBrowserHandler" if is_lazy else "handler.BrowserHandler"
    handler = f"crawler.download.browser.{handler}"
    return {
        "DOWNLOAD_HANDLERS": {
            **dict.fromkeys(("data", "file", "ftp", "s3")),
            "http": handler,
            "https": handler,
        },
        "PINDNA_BROWSER": str(path),
        "PINDNA_SCREENSHOT": screenshot,
        "PLAYWRIGHT_BROWSER_PROVIDER": "crawler.download.browser.provider.Provider",
        "PLAYWRIGHT_BROWSER_TYPE": "chromium",
    }
