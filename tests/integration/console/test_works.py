"""Works in the console: files dropped, one refused; described, licensed, removed and brought back."""

import re

import pytest
from playwright.sync_api import expect
from support.console import go, screenshot
from support.loading import raw
from support.sample_novels import CHAPTERS
from support.strategies import story

from analysis.accounts.permissions import identity_of
from analysis.actions import loading
from analysis.actions import works as actions
from tracker.corpus.chapters import ChapterSection
from tracker.corpus.loading import Terms

pytestmark = pytest.mark.services


def as_file(name: str, data: bytes) -> dict[str, object]:
    """Return a file as somebody drops it."""
    return {"name": name, "mimeType": "application/octet-stream", "buffer": data}


def drop_under_another_title(page, results, novel):
    """Drop the text of 山居 as 别居 and answer that it is the same work."""
    page.locator("input[type=file]").set_input_files([as_file("别居.txt", novel)])
    other = results.get_by_role("listitem").filter(has_text="别居.txt")
    expect(other).to_contain_text("100% of the text of “别居” is already in this work: 山居")
    screenshot(page, "works-added")
    other.get_by_role("button", name="It is the same work").click()
    expect(other).to_contain_text("Not loaded")


def name_holder(page, console, results):
    """Answer whose the new works are; one of them was removed in the meantime."""
    page.locator("input[type=file]").set_input_files([as_file("空谷.txt", story(500, 33).encode())])
    expect(results.get_by_role("listitem").filter(has_text="空谷.txt")).to_contain_text("New")
    (removed,) = console.runtime.stores.works.by_title("空谷")
    actions.remove(identity_of(console.runtime.stores.accounts.get("ana")), console.runtime, removed.id)
    page.get_by_label("Rights holder of these works").fill("山居书局")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("table", name="Works")).to_contain_text("山居书局")
    expect(page.get_by_label("Rights holder of these works")).to_have_count(0)


def describe(page):
    """Say who wrote the work of a page, and when it was published."""
    page.get_by_role("button", name="Change").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Author").fill("某人")
    dialog.get_by_label("First published").fill("2021-03-09")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_text("某人")).to_be_visible()
    expect(page.get_by_text("2021-03-09 +08:00")).to_be_visible()


def test_files_are_dropped_and_a_work_is_kept_in_order(console):
    novel = f"第一章 起\n{story(500, 31)}\n第二章 承\n{story(500, 32)}".encode()
    stores = console.runtime.stores
    with console.page("/works", "ana", language="en") as page:
        page.get_by_text("Add works").click()
        files = [as_file("山居.txt", novel), as_file("<b>程序.exe", b"MZ\0\0\0")]
        page.locator("input[type=file]").set_input_files(files)
        results = page.get_by_role("list", name="Result for each file")
        expect(results.get_by_role("listitem").filter(has_text="山居.txt")).to_contain_text("New")
        name_holder(page, console, results)
        expect(page.get_by_role("table", name="Works").get_by_role("link", name="山居")).to_be_visible()
        expect(results.get_by_role("listitem").filter(has_text="<b>程序.exe")).to_contain_text("Not loaded")
        page.locator("input[type=file]").set_input_files([as_file("山居.txt", novel)])
        expect(results.get_by_text("Already stored")).to_be_visible()
        drop_under_another_title(page, results, novel)
        assert stores.works.by_title("别居") == []
        results.get_by_role("link", name="山居").first.click()
        expect(page).to_have_url(re.compile(r"/works/\d+$"))
        expect(page.get_by_role("table", name="Chapters")).to_contain_text("第二章")
        describe(page)
        page.get_by_role("button", name="Grant a licence").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Site, or a pattern such as *.example.cn").fill("m.partner.example")
        dialog.get_by_label("Last day").fill("2020-12-31")
        dialog.get_by_role("button", name="Grant the licence").click()
        licences = page.get_by_role("table", name="Licences")
        expect(licences).to_contain_text("m.partner.example")
        expect(licences).to_contain_text("Has ended")
        page.get_by_role("button", name="Grant a licence").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Site, or a pattern such as *.example.cn").fill("licensed.example")
        dialog.get_by_label("Last day").fill("2130-12-31")
        dialog.get_by_role("button", name="Grant the licence").click()
        expect(licences).to_contain_text("until 2130-12-31")
        expect(page.locator(".dna")).to_be_visible()
        screenshot(page, "work")
        licences.get_by_role("button", name="Undo: licensed.example").click()
        page.get_by_role("dialog").get_by_role("button", name="Undo").click()
        expect(licences).not_to_contain_text("licensed.example")
        page.get_by_role("button", name="Remove").click()
        page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        expect(page).to_have_url(re.compile("status=removed"))
        page.get_by_role("button", name="Restore “山居”").click()
        expect(page).to_have_url(re.compile(r"/works/\d+$"))
    (work,) = stores.works.by_title("山居")
    assert (work.author, work.status in {"stored", "indexed"}) == ("某人", True)
    rows = stores.database["events"].find({"subject": f"work {work.id}"}).sort("number")
    acts = [row["detail"].get("act", row["kind"]) for row in rows]
    granted = ["grant-licence", "grant-licence", "revoke-licence"]
    assert acts == ["add-work", "describe-work", "describe-work", *granted, "remove-work", "restore-work"]


def test_chapters_dropped_together_become_a_single_work(console):
    files = [as_file(f"第{number}章.txt", story(400, 90 + number).encode()) for number in (10, 2, 1)]
    with console.page("/works", "ana", language="en") as page:
        page.get_by_text("Add works").click()
        page.locator("input[type=file]").set_input_files(files)
        expect(page.get_by_text("3 files were loaded as separate works.")).to_be_visible()
        page.get_by_role("button", name="Merge them into one …").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_role("listitem")).to_have_text(["第1章", "第2章", "第10章"])
        dialog.get_by_label("Title of the merged work").fill("长夜")
        dialog.get_by_role("button", name="Merge", exact=True).click()
        expect(page).to_have_url(re.compile(r"/works/\d+$"))
    (whole,) = console.runtime.stores.works.by_title("长夜")
    assert len(whole.passage_ids) == 3
    actions.remove(identity_of(console.runtime.stores.accounts.get("ana")), console.runtime, whole.id)


def test_holder_finds_its_works_by_the_address_and_changes_none(console):
    with console.page("/works?title=青灯", "hol", language="en") as page:
        table = page.get_by_role("table", name="Works")
        expect(table.get_by_role("link", name="青灯渡")).to_be_visible()
        expect(page.get_by_text("Add works")).to_have_count(0)
        go(page, "/works?title=雾港")
        expect(page.get_by_text("No work has this title.")).to_be_visible()
        other = console.runtime.stores.works.by_title("雾港来信")[0].id
        go(page, f"/works/{other}")
        expect(page.get_by_role("alert")).to_be_visible()
        console.problems.clear()  # the browser tells of the 404
        expect(page.get_by_role("main")).not_to_contain_text(CHAPTERS["雾港来信"][0][:10])
        own = console.runtime.stores.works.by_title("青灯渡")[0].id
        go(page, f"/works/{own}")
        expect(page.get_by_role("table", name="Chapters and sites")).to_contain_text("yueduwo.example")
        expect(page.get_by_role("button", name="Remove")).to_have_count(0)
        screenshot(page, "work-holder")


def test_load_is_undone_after_its_losses_were_shown(console):
    ana = identity_of(console.runtime.stores.accounts.get("ana"))
    raws = [raw(ChapterSection("", story(300, 300 + number)), title=f"误传{number}") for number in range(2)]
    loading.add_works(ana, console.runtime, raws, Terms())
    with console.page("/works", "ana", language="en") as page:
        page.get_by_text("Add works").click()
        page.get_by_role("link", name="Last loads, and undo").click()
        row = page.get_by_role("table", name="Loads").get_by_role("row").filter(has_text="误传0")
        row.get_by_role("button", name=re.compile("^Undo: .*误传0")).click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("Remove 2 works?")
        expect(dialog).to_contain_text("2 chapters, 600 characters")
        screenshot(page, "loads-undo")
        dialog.get_by_role("button", name="Remove").click()
        expect(page).to_have_url(re.compile("status=removed"))
    assert not console.runtime.stores.works.by_title("误传0")
