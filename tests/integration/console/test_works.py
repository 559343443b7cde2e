"""Works in the console: files dropped in, licences, what a holder sees."""

import pytest
from playwright.sync_api import expect
from support.console import HOLDERS, go, screenshot
from support.sample_novels import CHAPTERS

pytestmark = pytest.mark.services


def test_files_become_works_each_with_its_result(console):
    text = "新作\n作者：某人\n" + "灯火照见渡口的船。" * 40
    new = {"name": "新作.txt", "mimeType": "text/plain", "buffer": text.encode()}
    wrong = {"name": "<b>picture.png", "mimeType": "image/png", "buffer": b"\x89PNG\x00\x01"}
    with console.page("/works", "ana", language="en") as page:
        page.locator("input[type=file]").set_input_files([new, wrong])
        expect(page.get_by_text("Loaded; it is being indexed")).to_be_visible(timeout=20_000)
        expect(page.locator("bdi", has_text="<b>picture.png").first).to_be_visible()
        expect(page.locator(".badge.warn, .badge.grave")).not_to_have_count(0)
        screenshot(page, "works-dropped")
        page.locator("input[type=file]").set_input_files([new])
        expect(page.get_by_text("Known already, unchanged")).to_be_visible(timeout=20_000)
    titles = [work.title for work in console.runtime.stores.works.all()]
    assert titles.count("新作") == 1


def test_a_licence_is_granted_shown_and_taken_back(console):
    stores = console.runtime.stores
    work = next(work for work in stores.works.all() if work.title == "雾港来信")
    with console.page(f"/works/{work.id}", "ana", language="en") as page:
        expect(page.get_by_role("table", name="Chapters and sites")).to_contain_text("Copy")
        page.get_by_label("Site", exact=True).fill("licensed.example")
        page.get_by_label("Last day").fill("2030-12-31")
        page.get_by_role("button", name="Grant a licence").click()
        table = page.get_by_role("table", name="Licences")
        expect(table).to_contain_text("licensed.example")
        expect(table).to_contain_text("until 2030-12-31")
        page.get_by_role("button", name="Show", exact=True).first.click()
        expect(page.locator(".dna")).to_be_visible()
        table.get_by_role("button", name="Take back").click()
        page.get_by_role("dialog").get_by_role("button", name="Take back").click()
        expect(page.get_by_text("No site may publish it.")).to_be_visible()
    kinds = [row["kind"] for row in stores.database["events"].find({"subject": f"work {work.id}"})]
    assert {"licence-granted", "work-changed"} <= set(kinds)


def test_a_holder_sees_its_own_works_and_changes_none(console):
    own, other = (title for title in HOLDERS)
    stores = console.runtime.stores
    hidden = next(work for work in stores.works.all() if work.title == other)
    with console.page("/works", "hol", language="en") as page:
        expect(page.get_by_role("table", name="Works")).to_contain_text(own)
        expect(page.get_by_role("table", name="Works")).not_to_contain_text(other)
        expect(page.get_by_role("button", name="Choose files")).to_have_count(0)
        go(page, f"/works/{hidden.id}")
        expect(page.get_by_role("alert")).to_be_visible()
        expect(page.get_by_role("main")).not_to_contain_text(CHAPTERS[other][0][:10])
