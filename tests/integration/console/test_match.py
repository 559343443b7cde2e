"""The comparison page: page and work side by side, what proves it, and a page that may do no harm."""

import re

import pytest
from playwright.sync_api import expect
from support.console import HOSTILE_TITLE, go, screenshot

from storage.collections.captures import capture_id
from storage.records import Capture, utc_now

pytestmark = pytest.mark.services


def match_where(console, is_wanted):
    """Return the first match that is wanted."""
    stores = console.runtime.stores
    pages = [page["_id"] for page in stores.database["pages"].find({}, {"_id": 1})]
    return next(match for match in stores.matches.of_pages(pages) if is_wanted(match))


def tops(page):
    return page.evaluate("[...document.querySelectorAll('.pane')].map(pane => pane.scrollTop)")


def test_page_and_work_are_compared(console):
    match = match_where(console, lambda own: "homophones" in own.disguises and own.work_title == "青灯渡")
    with console.page(f"/matches/{match.name}", "ana", language="en") as page:
        pane = page.locator(".pane.of-page")
        expect(
            pane.locator(".run.homophone ruby").first
        ).to_be_visible()  # a sign and a syllable, not colour alone
        expect(pane.locator(".run.homophone rt").first).not_to_be_empty()
        line = pane.locator(".run.homophone").first.evaluate(
            "own => getComputedStyle(own).textDecorationStyle"
        )
        assert line == "wavy"
        screenshot(page, "match")
        # Both sides begin at the first stretch, at one height.
        firsts = [page.locator(f".pane.of-{side} .stretch").first for side in ("page", "passage")]
        heights = [own.bounding_box()["y"] for own in firsts]
        assert abs(heights[0] - heights[1]) < 2
        # The one pane follows the other, until it is told not to.
        pane.evaluate("own => { own.scrollTop = 900 }")
        page.wait_for_function("document.querySelector('.pane.of-passage').scrollTop > 300")
        page.locator(".linked input").uncheck()
        before = tops(page)[1]
        pane.evaluate("own => { own.scrollTop = 0 }")
        page.wait_for_timeout(150)
        assert tops(page)[1] == before
        # A chip, by the keyboard, brings both to the stretch; a click on one side brings the other.
        page.locator(".chip").first.focus()
        page.keyboard.press("Enter")
        expect(page.locator(".chip").first).to_have_attribute("aria-current", "true")
        expect(page.locator(".pane.of-passage .stretch.chosen")).to_have_count(1)
        page.locator(".pane.of-passage").evaluate("own => { own.scrollTop = own.scrollHeight }")
        page.locator(".pane.of-page .stretch .number").first.click()
        heights = [own.bounding_box()["y"] for own in firsts]
        assert abs(heights[0] - heights[1]) < 40
        page.get_by_role("button", name="Same characters").click()
        expect(page.locator(".parallel")).to_have_class(re.compile("shows-matches"))
        # More of a stretch comes on demand.
        shown = page.locator(".pane.of-page").inner_text()
        page.locator(".pane.of-page .stretch .more").first.click()
        page.wait_for_function(
            "size => document.querySelector('.pane.of-page').innerText.length > size", arg=len(shown)
        )
        expect(page.locator(".dna-strip")).to_have_count(2)


def test_page_with_several_works_lets_the_user_choose_works(console):
    match = match_where(console, lambda own: own.page_title == "两部作品")
    with console.page(f"/matches/{match.name}", "ana", width=390, touch=True) as page:
        expect(page.locator(".section-title")).to_have_count(2)
        page.locator(".choice .q-checkbox[aria-checked=false]").first.click()
        expect(page.locator(".section-title")).to_have_count(3)
        expect(page.locator(".chip", has_text=re.compile("^B1"))).to_have_count(1)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        screenshot(page, "match-390")


def test_hostile_page_is_text_and_as_it_was_it_does_nothing(console):
    match = match_where(console, lambda own: own.page_title == HOSTILE_TITLE)
    stores = console.runtime.stores
    (page_record,) = stores.pages.without_texts([match.page_id])
    sha256 = page_record.snapshots[0]
    key = capture_id(match.url, sha256, page_record.fetched)
    capture = Capture(
        id=key, url=match.url, source="novels", scan_id="scan-1", fetched=utc_now(), status=200, sha256=sha256
    )
    stores.captures.add_many([capture])
    with console.window("hol") as window:
        page = window.new_page()
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("dialog", lambda _: asked.append("a script ran"))
        go(page, f"/matches/{match.name}")
        expect(page.get_by_role("heading", level=1)).to_contain_text("{{7*7}}")
        expect(page.get_by_role("heading", level=1)).to_contain_text("[U+202E]")
        page.locator("iframe").scroll_into_view_if_needed()
        frame = page.frame_locator("iframe")
        expect(frame.locator("body")).to_contain_text("{{7*7}}")
        assert frame.locator("script, img[src], a[href], [onerror]").count() == 0
        assert all(url.startswith((console.address, "data:")) for url in asked)
        answer = page.request.get(f"/matches/{match.name}/as-it-was?body={sha256}")
        headers = answer.headers
        assert headers["content-security-policy"].startswith("sandbox; default-src 'none'")
        assert "frame-ancestors 'self'" in headers["content-security-policy"]
        assert (headers["x-frame-options"], headers["x-content-type-options"]) == ("SAMEORIGIN", "nosniff")
        assert page.request.get(f"/matches/{match.name}/as-it-was?body={'0' * 64}").status == 404


def test_foreign_match_looks_missing_and_an_operator_gets_no_evidence(console):
    others = match_where(console, lambda own: own.work_title == "雾港来信" and not own.disguises)
    stored = console.runtime.stores.pages.get(others.page_id)
    line = next(line.strip()[:15] for line in stored.text.splitlines() if len(line) > 30)
    path = f"/matches/{others.name}"
    body = f"{path}/as-it-was?body={stored.snapshots[0]}"
    statuses = {}
    for name in ("hol", "op", ""):
        with console.window(name) as window:
            answer = window.request.get(path, max_redirects=0)
            if name == "hol":
                assert line not in answer.text()
                assert others.page_title not in answer.text()
            elif name == "op":
                assert line in answer.text()  # data in the first answer, before any script
                assert "as-it-was" not in answer.text()
            statuses[name] = window.request.get(body, max_redirects=0).status
    assert statuses["hol"] == 404
    assert statuses["op"] == 403
    assert statuses[""] in {303, 401}


def test_posts_with_the_copied_text_are_named(console):
    match = match_where(console, lambda own: own.work_title == "青灯渡")
    post = {"start": 0, "end": 9, "place": 12, "author": "北岸客"}
    console.runtime.stores.database["matches"].update_one({"_id": match.id}, {"$set": {"posts": [post]}})
    with console.page(f"/matches/{match.name}", "ana", language="en") as page:
        expect(page.get_by_text("Posts: #12 北岸客")).to_be_visible()
