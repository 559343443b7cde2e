"""One Chromium whose only font is the code font: shows generated pages and reads what is on the screen."""

import io
import itertools
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Error, Page, Route, sync_playwright
from support.differential.font import code_font
from support.differential.screen import read_signs, reading_orders
from support.differential.texts import CODED

from crawler.download.browser.chromium import has_sandbox

ADDRESS = "http://page.example/book/1.html"
SCALE = 2  # pixels of the screen for a pixel of a style sheet
WIDTH, HEIGHT = 900, 700
MAX_HEIGHT = 12_000
FAMILY = "Code"
_SETTLE = 120  # milliseconds
_FAMILIES = (
    *("Times New Roman", "Times", "Arial", "Helvetica", "Courier New", "monospace", "sans-serif", "serif"),
    *(
        "sans",
        "system-ui",
        "cursive",
        "fantasy",
        "SimSun",
        "Microsoft YaHei",
        "Noto Sans CJK SC",
        "DejaVu Sans",
    ),
)
_CONFIG = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>{folder}</dir><cachedir>{folder}/cache</cachedir><match target="scan">{names}</match></fontconfig>"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What a server answers: the page's bytes, its Content-Type, and other resources by path."""

    body: bytes
    content_type: str = "text/html; charset=utf-8"
    resources: dict[str, tuple[str, bytes]]


def character_numbers() -> dict[str, int]:
    """Return the number that the font shows for each character of interest."""
    numbers = {char: number for number, char in enumerate(CODED, start=1)}
    lookalikes = {chr(code): _plain(chr(code)) for code in (*range(0x2E80, 0x2FE0), *range(0xF900, 0xFB00))}
    return numbers | {char: numbers[plain] for char, plain in lookalikes.items() if plain in numbers}


def _plain(char: str) -> str:
    return unicodedata.normalize("NFKC", char)


def _write_font(folder: Path) -> Path:
    numbers = character_numbers()
    wide = {chr(code) for first, last in ((0x3000, 0x9FFF), (0xFF00, 0xFFEF)) for code in range(first, last)}
    wide |= set("—…“”‘’·")
    latin = {chr(code) for code in (*range(0x20, 0x7F), *range(0xA0, 0x250))}
    blanks = sorted(wide - set(numbers) - latin)
    halves = sorted(latin - wide)
    for is_bold, is_italic in itertools.product((False, True), repeat=2):
        slants = {"is_bold": is_bold, "is_italic": is_italic}
        font = code_font(numbers, family=FAMILY, blanks=blanks, half_blanks=halves, **slants)
        (folder / f"code-{is_bold:d}{is_italic:d}.ttf").write_bytes(font)
    names = "".join(f'<edit name="family" mode="append"><string>{name}</string></edit>' for name in _FAMILIES)
    config = folder / "fonts.conf"
    config.write_text(_CONFIG.format(folder=folder, names=names), encoding="utf-8")
    return config


class Screen:
    """Shows pages."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._response = Response(body=b"", resources={})
        page.route("**/*", self._answer)
        page.on("dialog", lambda dialog: dialog.dismiss())

    def _answer(self, route: Route) -> None:
        path = route.request.url.removeprefix("http://page.example").split("?")[0]
        if route.request.url == ADDRESS:
            route.fulfill(body=self._response.body, content_type=self._response.content_type)
        elif path in self._response.resources:
            content_type, body = self._response.resources[path]
            route.fulfill(body=body, content_type=content_type)
        else:
            route.fulfill(status=404, body="")

    def screenshot(self, response: Response) -> np.ndarray:
        """Return what a reader sees of a page that scrolls through it: (height, width, 3)."""
        self._response = response
        self._page.goto(ADDRESS, wait_until="load")
        self._page.wait_for_timeout(_SETTLE)
        session = self._page.context.new_cdp_session(self._page)
        size = session.send("Page.getLayoutMetrics")["cssContentSize"]
        height = min(max(size["height"], HEIGHT), MAX_HEIGHT)
        self._page.set_viewport_size({"width": WIDTH, "height": int(height)})
        self._page.wait_for_timeout(_SETTLE // 4)
        shot = self._page.screenshot(animations="allow", caret="initial")
        session.detach()
        self._page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
        return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"))

    def visible_orders(self, response: Response) -> list[str]:
        """Return the coded characters that a page shows, in each order in which a reader may read them."""
        chars = dict(enumerate(CODED, start=1))
        orders = reading_orders(read_signs(self.screenshot(response)))
        return ["".join(chars.get(sign.number, "") for sign in order) for order in orders]


@contextmanager
def opened_screen(path: Path) -> Iterator[Screen]:
    """Start the browser of that path.

    Raises:
        playwright.sync_api.Error: it does not start.
    """
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        config = _write_font(Path(name))
        browser = playwright.chromium.launch(
            executable_path=str(path),
            headless=True,
            chromium_sandbox=has_sandbox(),
            args=["--disable-site-isolation-trials", "--disable-lcd-text", "--font-render-hinting=none"],
            env={"HOME": name, "TMPDIR": name, "PATH": "/usr/bin:/bin", "FONTCONFIG_FILE": str(config)},
        )
        try:
            viewport = {"width": WIDTH, "height": HEIGHT}
            context = browser.new_context(viewport=viewport, device_scale_factor=SCALE, locale="zh-CN")
            yield Screen(context.new_page())
        finally:
            browser.close()


__all__ = ["ADDRESS", "Error", "Response", "Screen", "opened_screen"]
