"""The check page: a text, a file or an address, and what it has from protected works."""

import pytest
from playwright.sync_api import expect
from support.console import go, screenshot
from support.sample_novels import CHAPTERS
from support.webserver import web_site

pytestmark = pytest.mark.services
LONG_LINE = "字" * 300_000
HOSTILE = "<img src=x onerror=alert(1)>{{7*7}}</script><script>alert(2)</script>\u202e"
CHAPTER, OTHER = CHAPTERS["青灯渡"][0], CHAPTERS["雾港来信"][0]


def html(text):
    paragraphs = "".join(f"<p>{line.strip()}</p>" for line in text.splitlines() if line.strip())
    head = "<head><meta charset=utf-8><title>渡口</title></head>"
    return f"<html>{head}<body><div>{paragraphs}</div></body></html>"


def test_text_and_a_file_are_checked(console, tmp_path):
    with console.window("ana", language="en") as window:
        page = window.new_page()
        page.on("dialog", lambda _: pytest.fail("a script ran"))
        go(page, "/check")
        region = page.get_by_role("region", name="Result")
        page.get_by_role("button", name="Compare the text").click()
        expect(region.get_by_role("alert")).to_be_visible()  # nothing was given
        page.get_by_label("Text to compare").fill(f"{CHAPTER[:1200]}\n{HOSTILE}\n{OTHER[:600]}\n{LONG_LINE}")
        page.get_by_role("button", name="Compare the text").click()
        expect(region.locator(".pane.of-page")).to_contain_text("{{7*7}}")
        expect(region.locator(".pane.of-page")).to_contain_text("[U+202E]")
        expect(region.locator("table.list tbody tr")).to_have_count(2)
        expect(region.get_by_role("heading", name="Result")).to_be_in_viewport()
        expect(page.locator(".announcement[role=status]")).to_contain_text("2 matches")
        assert len(region.locator(".pane.of-page").inner_text()) < 20_000
        screenshot(page, "check")
        path = tmp_path / "抄.txt"
        path.write_text(OTHER, encoding="gb18030")
        page.locator("input[type=file].drop").set_input_files(path)
        expect(region).to_contain_text("抄.txt")
        expect(region.locator("table.list tbody tr")).to_have_count(1)
        page.get_by_label("Address of a page").fill("file:///etc/passwd")
        page.keyboard.press("Enter")
        expect(region.get_by_role("alert")).to_be_visible()


def test_check_fetches_no_private_address_whatever_the_sources_allow(console):
    with web_site({"/1.html": html(CHAPTER)}) as site, console.page("/check", "ana", language="en") as page:
        region = page.get_by_role("region", name="Result")
        page.get_by_label("Address of a page").fill(f"{site.url}/1.html")
        page.keyboard.press("Enter")
        expect(region.get_by_role("alert")).to_contain_text("could not be fetched", timeout=20_000)
        assert site.asked == []


def test_check_page_shows_a_holder_no_foreign_works(console):
    with console.page("/check", "hol", width=390, language="en") as page:
        page.get_by_label("Text to compare").fill(OTHER)
        page.get_by_role("button", name="Compare the text").click()
        region = page.get_by_role("region", name="Result")
        expect(region).to_contain_text("No text of the protected works was found.")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
