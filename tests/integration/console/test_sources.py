"""Sources and scans in the console: made, tried, crawled, stopped, removed."""

import re

import pytest
from playwright.sync_api import expect
from support.console import HOSTILE_TITLE, go, screenshot
from support.sample_novels import CHAPTERS
from support.watched import chapter
from support.webserver import anchors, web_site

pytestmark = pytest.mark.services


_OPEN = "parts => parts.forEach(part => { part.parentElement.open = true; })"


@pytest.fixture
def harbour():
    """A site with a catalogue, a copy, and a page of a hostile title."""
    text = CHAPTERS["青灯渡"][0]
    pages = {
        "/": anchors(
            ("/1.html", "第一章 渡口"),
            ("/2.html", "第二章 江心"),
            *(("/1.html", f"第{number}章 渡口") for number in "三四五六"),
        ),
        "/1.html": chapter(text, "第一章 渡口"),
        "/2.html": chapter(text, HOSTILE_TITLE.replace("<", "&lt;")),
    }
    with web_site(pages) as running:
        yield running


def test_source_is_made_by_form_and_toml_tried_crawled_and_removed(console, harbour):
    stores = console.runtime.stores
    with console.page("/sources/new", "op", language="en") as page:
        page.get_by_label("Name", exact=True).fill("harbour")
        page.get_by_label("Addresses, one per line").fill(harbour.url)
        expect(page.get_by_label("Sitemaps")).to_be_hidden()
        page.locator("summary").filter(has_text=re.compile("TOML|Pace|Hours")).evaluate_all(_OPEN)
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
        result = page.get_by_role("region", name="Result of the trial")
        expect(result.get_by_role("status")).to_contain_text("texts were read")
        expect(result.get_by_role("status")).to_be_in_viewport()
        page.get_by_role("button", name="Change the kind").click()
        expect(toml).to_have_value(re.compile('kind = "novel"'))
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


def take_list(page, data):
    """Choose a list of addresses in the form of a source."""
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Import addresses from a list").click()
    chooser.value.set_files([{"name": "list.csv", "mimeType": "text/csv", "buffer": data}])


def test_addresses_are_read_from_a_list_and_refused_addresses_are_shown(console):
    with console.page("/sources/new", "op", language="en") as page:
        page.get_by_label("Name", exact=True).fill("listed")
        rows = [
            "标题,http://one.example/一",
            "<b>{{7*7}}</b>,x",
            "http://10.1.1.1/",
            f"http://a/{'x' * 10**6}",
        ]
        take_list(page, "\n".join(rows).encode("gb18030"))
        addresses = page.get_by_label("Addresses, one per line")
        expect(addresses).to_have_value("http://one.example/一")
        results = page.get_by_role("table", name="Result for each line")
        expect(results.get_by_role("row").filter(has_text="<b>{{7*7}}</b>")).to_contain_text("Not an http(s)")
        expect(results.get_by_role("row").filter(has_text="10.1.1.1")).to_contain_text("not accepted")
        addresses.fill("http://one.example/\nhttp://10.1.1.1/a\nhttp://[::1]/")
        told = page.locator("ul.note").get_by_role("listitem")
        expect(told).to_have_text(
            [re.compile(r"^http://10.1.1.1/a is a private address"), re.compile(r"^http://\[::1\]")]
        )
        page.get_by_text("TOML", exact=True).click()
        toml = page.get_by_role("textbox", name="TOML")
        before = toml.input_value()
        toml.fill("#" * 1_000_000)
        too_long = page.locator(".text-panel .problem").filter(has_text="too long for the console")
        expect(too_long).to_be_visible()
        page.get_by_role("button", name="Save").click()
        expect(page.locator(".q-notification").filter(has_text="too long for the console")).to_be_visible()
        assert console.runtime.stores.sources.all() == [console.runtime.stores.sources.get("novels")]
        toml.fill(before)
        expect(too_long).to_be_hidden()
        console.problems.clear()  # the browser tells of what it did not send


def test_roles_without_permission_see_sources_read_only(console):
    with console.page("/sources", "ana", language="en") as page:
        expect(page.get_by_role("button", name="New source")).to_have_count(0)
        go(page, "/sources/new")
        expect(page.get_by_role("alert")).to_contain_text("sources:write")
        go(page, "/scans")
        expect(page.get_by_role("button", name="Scan now")).to_have_count(0)
    with console.page("/sources", "hol", language="en") as page:
        expect(page.get_by_role("alert")).to_contain_text("sources:read")
    console.problems.clear()  # the browser tells of the 403


def test_file_of_sites_gives_candidates_that_are_accepted_and_rejected(console):
    stores = console.runtime.stores
    with console.page("/sources/candidates", "op", language="en") as page:
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Import files").click()
        data = f"https://copies-one.example/\nhttps://copies-two.example/ {HOSTILE_TITLE}\nno address\n"
        chooser.value.set_files({"name": "sites.txt", "mimeType": "text/plain", "buffer": data.encode()})
        expect(page.get_by_text("New site: 2")).to_be_visible(timeout=30_000)
        page.get_by_role("link", name="Show the candidates").click()
        table = page.get_by_role("table", name="Candidates")
        expect(table).to_contain_text("sites.txt:2")
        page.get_by_role("button", name="Accept: copies-one.example").click()
        page.get_by_role("button", name="Reject: copies-two.example").click()
        expect(table.get_by_text("Done")).to_have_count(2)
    assert stores.sources.get("copies-one.example").kind == "site"
    assert stores.candidates.get("copies-two.example").state == "rejected"
    stores.sources.delete("copies-one.example")
