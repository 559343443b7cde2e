"""The HTML report in a real browser: on a telephone, filtered, and on paper."""

import re
import zlib

import pytest
from playwright.sync_api import sync_playwright
from support.browsers import require_browser
from support.reports import LONG_HOST, rich_report

from analysis.reports.render_html import render_html

# Words that a cell breaks although a line of the whole cell has room for them.
BROKEN_WORDS = """
() => {
  const broken = [];
  for (const element of document.querySelectorAll("td, th, dd, dt, summary, p, li, label, b, span.badge")) {
    const room = element.clientWidth || element.getBoundingClientRect().width;
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode.data;
      const isShort = /^\\s*[\\u4e00-\\u9fff]{2,4}\\s*$/.test(text) && element.matches("td, b");
      for (const match of text.matchAll(isShort ? /\\S+/g : /[A-Za-z0-9.:-]+/g)) {
        const range = document.createRange();
        range.setStart(walker.currentNode, match.index);
        range.setEnd(walker.currentNode, match.index + match[0].length);
        const lines = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
        const style = getComputedStyle(walker.currentNode.parentElement);
        const width = match[0].length * parseFloat(style.fontSize) * (isShort ? 0 : 0.62);
        if (lines.size > 1 && !match[0].includes("-") && (width < room || room < 110)) broken.push(match[0]);
      }
    }
  }
  return broken;
}
"""
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
SHOWN = "(selector) => [...document.querySelectorAll(selector)].filter(one => one.checkVisibility()).length"


@pytest.fixture(scope="module")
def browser():
    path = require_browser()
    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture(params=["zh", "en"])
def document(request, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(render_html(rich_report(), language=request.param), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def view(browser, document):
    """A function that opens the report in a window of some width, every part unfolded."""

    def open_at(width, *, unfolded=True):
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto(document)
        if unfolded:
            page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        return page

    return open_at


@pytest.mark.parametrize("width", [320, 390, 1440])
def test_nothing_runs_over_the_edge_and_no_word_is_broken(view, width):
    page = view(width)
    assert page.evaluate(OVERFLOW) == 0
    assert page.evaluate(BROKEN_WORDS) == []


@pytest.mark.parametrize("font", ["DejaVu Sans", "Liberation Sans", "Noto Sans", "Noto Sans CJK SC"])
def test_no_word_is_broken_whatever_the_font(view, font):
    page = view(1440)
    page.add_style_tag(content=f"* {{ font-family: '{font}', sans-serif !important }}")
    assert page.evaluate(OVERFLOW) == 0
    assert page.evaluate(BROKEN_WORDS) == []


def test_host_fits_a_single_line_on_a_telephone(view):
    page = view(390)
    boxes = [
        box.bounding_box() for box in page.locator("td bdi, h3 bdi").get_by_text(LONG_HOST, exact=True).all()
    ]
    assert boxes
    assert max(box["height"] for box in boxes) <= 60  # two lines, where it is longer than a line


def test_too_narrow_cells_would_be_noticed(view):
    page = view(390)
    page.add_style_tag(content=".cards td { width: 20px !important; overflow-wrap: anywhere }")
    assert page.evaluate(BROKEN_WORDS)


def test_choosing_hides_the_rest_and_resetting_shows_it(view):
    page = view(1440)
    assert page.evaluate(SHOWN, ".match.entry") == 5
    page.select_option("#by-site", index=2)
    assert page.evaluate(SHOWN, ".match.entry") == 1
    assert page.evaluate(SHOWN, "section.case") == 1
    assert page.evaluate(SHOWN, "tr.entry") == 1
    assert page.evaluate(SHOWN, "p.chosen") == 2
    page.select_option("#by-review", index=1)  # the match is either open or confirmed
    both = page.evaluate(SHOWN, ".match.entry")
    page.select_option("#by-review", index=2)
    assert both + page.evaluate(SHOWN, ".match.entry") == 1
    page.click("button[type=reset]")
    assert page.evaluate(SHOWN, ".match.entry") == 5
    assert page.evaluate(SHOWN, "p.chosen") == 0
    page.check("#only-new")
    assert page.evaluate(SHOWN, ".match.entry") == 2


def test_matches_are_folded_until_opened(view):
    page = view(390, unfolded=False)
    assert page.evaluate(SHOWN, ".match.entry") == 5
    assert page.evaluate(SHOWN, ".match table.texts") == 0


def test_contents_lead_to_every_section(view):
    page = view(1440)
    targets = page.eval_on_selector_all("nav a", "links => links.map(a => a.getAttribute('href'))")
    assert len(targets) == 8
    for target in targets:
        assert page.locator(f"h2{target}").count() == 1


def test_every_case_is_printed_on_a_new_page_with_its_matches_unfolded(view):
    page = view(1440, unfolded=False)
    everything = pages_of(page.pdf())
    assert pages_of(view(1440).pdf()) == everything
    page.evaluate("document.querySelector('.filters').open = true")
    page.select_option("#by-site", index=1)
    assert everything - pages_of(page.pdf()) >= 4  # four cases less
    page.emulate_media(media="print")
    assert page.evaluate(SHOWN, ".filters form") == 0
    assert page.evaluate(SHOWN, ".filters .chosen") == 1  # what was left out on paper is said there


def pages_of(pdf):
    """Return how many pages a PDF file has."""
    streams = re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.DOTALL)
    content = pdf + b"".join(map(_inflated, streams))
    return len(re.findall(rb"/Type\s*/Page\b", content))


def _inflated(stream):
    try:
        return zlib.decompress(stream)
    except zlib.error:
        return b""
