"""Print HTML documents as PDF with the system's Chromium.

The document must be self-contained: scripts do not run, and nothing is loaded from the network or from files.
Playwright drives the browser (the extra ``browser``), as for rendered sources.
"""

import asyncio
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import escape

from crawler.download.browser.chromium import browser_path, has_driver, has_sandbox
from storage.settings import CrawlerSettings
from system.errors import PindnaError, one_line
from system.messages import N_

if TYPE_CHECKING:
    from playwright.async_api import Browser, Route

_LIMIT_S = 120.0
_SWITCHES = (
    "--disable-breakpad",
    "--disable-domain-reliability",
    "--dns-prefetch-disable",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--no-pings",
)
_MARGIN = {"top": "16mm", "bottom": "18mm", "left": "15mm", "right": "15mm"}
_FOOTER = (
    '<div style="width:100%;margin:0 15mm;font-size:7pt;color:#555;'
    'display:flex;justify-content:space-between"><span>{footer}</span>'
    '<span><span class="pageNumber"></span> / <span class="totalPages"></span></span></div>'
)

# A document may have page numbers for printing from a browser; they are removed if pindna adds a footer.
_NO_OWN_NUMBER = "<style>@page { @bottom-right { content: none } }</style>"


class PrinterMissing(PindnaError):
    """This machine has no program that can print a PDF. Data: ``missing``, ``advice``."""

    template = "No PDF can be made: {missing}. {advice}"


class PrintingFailed(PindnaError):
    """The browser failed to print. Data: ``path``, ``problem``."""

    template = "The browser {path} does not print ({problem}). Try it by hand, or set crawler.browser_path."


class PrintingTimedOut(PrintingFailed):
    """The browser exceeded the time limit for printing and was killed. Data: ``path``, ``seconds``."""

    template = (
        "The browser {path} was still printing after {seconds} s and was ended: the document is too long, or "
        "the machine too busy."
    )


def require_printer(settings: CrawlerSettings) -> Path:
    """Return the path of the browser that prints.

    Raises:
        PrinterMissing: it, or what drives it, is not installed.
    """
    if not has_driver():
        raise PrinterMissing(
            missing=N_("the extra browser is not installed"), advice=N_("Run pip install 'pindna[browser]'.")
        )
    path = browser_path(settings)
    if path is None:
        missing = (
            N_("crawler.browser_path is not a program")
            if settings.browser_path
            else N_("there is no browser")
        )
        advice = N_("Install chromium (apt-get install chromium), or set crawler.browser_path.")
        raise PrinterMissing(missing=missing, advice=advice)
    return path


def print_pdf(html: str, settings: CrawlerSettings, *, footer: str = "", landscape: bool = False) -> bytes:
    """Return a document as PDF on A4, unless its style sheet says otherwise (``@page``).

    Args:
        html: a document that is whole in itself.
        settings: name the browser.
        footer: text at the foot of every page, with the page's number behind it; empty: what the document's
            own style sheet puts there.
        landscape: whether the pages lie on their side.

    Raises:
        PrinterMissing: the browser, or what drives it, is not installed.
        PrintingFailed: it did not start, or broke off.
        PrintingTimedOut: its time was up; it is ended.
    """
    path = require_printer(settings)
    options = {
        "format": "A4",
        "landscape": landscape,
        "margin": _MARGIN,
        "print_background": True,
        "prefer_css_page_size": True,
        "display_header_footer": bool(footer),
        "header_template": "<span></span>",
        "footer_template": _FOOTER.format(footer=escape(footer)),
        "tagged": True,
        "outline": True,
    }
    html += _NO_OWN_NUMBER if footer else ""
    # a separate thread, because the caller's thread may run an event loop
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(lambda: asyncio.run(_print(html, path, options))).result()


async def _print(html: str, path: Path, options: dict[str, Any]) -> bytes:
    """Return a document as PDF.

    Raises:
        PrintingFailed: the browser did not start, or broke off.
        PrintingTimedOut: its time was up; it is ended.
    """
    from playwright.async_api import Error, async_playwright  # noqa: PLC0415 - of an extra

    with tempfile.TemporaryDirectory(prefix="pindna-print-", ignore_cleanup_errors=True) as folder:
        try:
            async with asyncio.timeout(_LIMIT_S), async_playwright() as driver:
                browser = await driver.chromium.launch(
                    executable_path=path,
                    args=_SWITCHES,
                    chromium_sandbox=has_sandbox(),
                    env={"HOME": folder, "TMPDIR": folder, "PATH": os.defpath, "LANG": "C.UTF-8"},
                )
                return await _print_in(browser, html, options)
        except TimeoutError as error:
            raise PrintingTimedOut(path=str(path), seconds=f"{_LIMIT_S:.0f}") from error
        except (Error, OSError) as error:
            raise PrintingFailed(path=str(path), problem=one_line(str(error))) from error


async def _print_in(browser: "Browser", html: str, options: dict[str, Any]) -> bytes:
    context = await browser.new_context(java_script_enabled=False, offline=True, accept_downloads=False)
    page = await context.new_page()
    await page.route("**/*", _refuse)
    await page.set_content(html, timeout=0)  # only the limit of the caller applies
    printed: bytes = await page.pdf(**options)
    await browser.close()
    return printed


async def _refuse(route: "Route") -> None:
    await route.abort()
