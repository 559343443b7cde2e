"""Sources and scans in the console: made, tried, crawled, stopped, removed."""

import re

import pytest
from playwright.sync_api import expect
from support.console import HOSTILE_TITLE, go, screenshot
from support.sample_novels import CHAPTERS
from support.watched import chapter
from support.webserver import anchors, web_site

pytestmark = pytest.mark.services


@pytest.fixture
def harbour():
    """A site with a catalogue, a copy, and a page of a hostile title."""
    text = CHAPTERS["青灯渡"][0]
    pages = {
        "/": anchors(("/1.html", "第一章 渡口"), ("/2.html", "第二章 江心")),
        "/1.html": chapter(text, "第一章 渡口"),
        "/2.html": chapter(text, HOSTILE_TITLE.replace("<", "&lt;")),
    }
    with web_site(pages) as running:
        yield running


def test_a_source_is_made_by_form_and_toml_tried_crawled_and_removed(console, harbour):
    stores = console.runtime.stores
    with console.page("/sources/new", "op", language="en") as page:
        page.get_by_label("Name", exact=True).fill("harbour")
        page.get_by_label("Addresses, one a line").fill(harbour.url)
        toml = page.get_by_role("textbox", name="TOML")
        expect(toml).to_have_value(re.compile(re.escape(harbour.url) + r'(.|\n)*name = "harbour"'))
        toml.fill(toml.input_value() + "[pace]\ndelay_s = 0.5\nwrong = 1\n")
        expect(page.get_by_role("alert").filter(has_text="wrong")).to_be_visible()
        toml.fill(toml.input_value().replace("wrong = 1\n", ""))
        expect(page.get_by_label("Seconds between two requests")).to_have_value("0.5")
        page.get_by_role("button", name="Not on weekends").click()
        expect(toml).to_have_value(re.compile(r'hours = \[\s*"Mo-Fr",\s*\]'))
        page.get_by_role("button", name="Remove these hours").click()
        expect(toml).not_to_have_value(re.compile("hours"))
        page.get_by_role("button", name="Try it now").click()
        expect(page.locator(".steps")).to_contain_text("{{7*7}}", timeout=60_000)
        step = page.get_by_role("region", name="Step 2")
        expect(step.get_by_role("group", name="Text as it is compared")).to_contain_text(
            CHAPTERS["青灯渡"][0][:20]
        )
        frame = step.frame_locator("iframe").locator("body")
        expect(frame).to_contain_text(CHAPTERS["青灯渡"][0][:20])
        expect(frame.locator("script, [onerror], a[href]")).to_have_count(0)
        screenshot(page, "source-tried")
        page.get_by_role("button", name="Save").click()
        expect(page).to_have_url(f"{console.address}/sources/harbour")
        assert stores.sources.get("harbour").delay_s == 0.5
        page.get_by_role("button", name="Crawl it now").click()
        expect(page).to_have_url(re.compile("/scans/"))
        expect(page.get_by_role("table", name="Crawls")).to_contain_text("Not finished")
        screenshot(page, "scan-running")
        page.get_by_role("button", name="Stop").click()
        page.get_by_role("dialog").get_by_role("button", name="Stop").click()
        expect(page.get_by_text("1 crawl is stopped.")).to_be_visible()
        go(page, "/sources/harbour")
        page.get_by_role("button", name="Remove").click()
        page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        expect(page).to_have_url(f"{console.address}/sources")
        expect(page.get_by_role("main")).not_to_contain_text("harbour")
    rows = stores.database["events"].find({"subject": "source harbour"}).sort("number")
    assert [row["kind"] for row in rows] == ["source-saved", "source-removed"]


def test_who_may_not_change_sources_sees_them_only(console):
    with console.page("/sources", "ana", language="en") as page:
        expect(page.get_by_role("button", name="New source")).to_have_count(0)
        go(page, "/sources/new")
        expect(page.get_by_role("alert")).to_contain_text("sources:write")
        go(page, "/scans")
        expect(page.get_by_role("button", name="Scan now")).to_have_count(0)
    with console.page("/sources", "hol", language="en") as page:
        expect(page.get_by_role("alert")).to_contain_text("sources:read")
    console.problems.clear()  # the browser tells of the 403
