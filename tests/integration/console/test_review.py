"""Reviewing finds in a browser: by the keyboard alone, with undo, and two people at one find."""

import re
from datetime import timedelta

import pytest
from playwright.sync_api import expect
from support.console import REVIEW_SITE, REVIEWED, go, screenshot
from support.rulings import dismiss

from storage.records import utc_now
from tracker.review.decisions import reopen

pytestmark = pytest.mark.services
SITE = REVIEW_SITE


def finds(console, review=""):
    return list(console.runtime.stores.matches.listed(site=SITE, review=review))


@pytest.fixture(autouse=True)
def _undecided(console):
    """Take back what a test decided, so that no other one rests on it, or misses it."""
    yield
    for state in ("confirmed", "dismissed", "doubtful"):
        for find in finds(console, state):
            reopen(find, console.runtime.stores, by="the tests")


def opened(page, name):
    """Wait until a find is open."""
    expect(page.locator(".desk-find .badge", has_text=re.compile(f"^{name}$"))).to_be_visible()


def name_of(page):
    return page.locator(".desk-find .badge").filter(has_text=re.compile("^m[0-9]+$")).inner_text()


def turned(page, before):
    """Wait until another find is open."""
    expect(page.locator(".desk-find .badge", has_text=re.compile(f"^{before}$"))).to_have_count(0)
    expect(page.locator(".desk-find")).to_have_attribute("aria-busy", "false")


def press(page, key):
    """Press a key and wait until another find is open."""
    before = name_of(page)
    page.keyboard.press(key)
    turned(page, before)


def test_twenty_finds_are_reviewed_by_the_keyboard_alone(console):
    assert len(finds(console)) == REVIEWED
    with console.page("/review", "ana", language="en") as page:
        group = page.get_by_role("button", name=f"Review {SITE}", exact=True)
        group.focus()
        screenshot(page, "review")
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile(r"/review/m\d+"))
        first = name_of(page)
        screenshot(page, "review-find")
        for _ in range(17):
            press(page, "y")
        expect(page.locator(".desk-list [aria-current]")).to_be_in_viewport(ratio=1)  # the list follows
        expect(page.locator(".desk-find .find-title").first).to_be_in_viewport()
        page.keyboard.press("n")
        because = page.get_by_label("Why does it not infringe?").last
        expect(because).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog").get_by_role("alert")).not_to_be_empty()
        before = name_of(page)
        page.keyboard.type("授权转载 yyy")
        page.keyboard.press("Enter")
        turned(page, before)
        for _ in range(2):  # the reason that was given last is proposed
            before = name_of(page)
            page.keyboard.press("n")
            expect(because).to_be_focused()
            page.keyboard.press("Enter")
            turned(page, before)
        expect(page.get_by_role("dialog")).to_have_count(0)
        assert (len(finds(console, "confirmed")), len(finds(console, "dismissed"))) == (17, 3)
        last = name_of(page)
        press(page, "k")
        expect(page.get_by_role("button", name="Not infringing")).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("u")
        expect(page.get_by_role("button", name="Not infringing")).to_have_attribute("aria-pressed", "false")
        assert len(finds(console, "dismissed")) == 2
        for _ in range(2):
            press(page, "k")
        press(page, "k")
        expect(page.get_by_role("button", name="Infringing", exact=True)).to_have_attribute(
            "aria-pressed", "true"
        )
        page.keyboard.press("y")  # the same key again takes it back
        expect(page.locator(".told")).to_contain_text("open again")
        assert len(finds(console, "confirmed")) == 16
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        assert last != first


def test_second_analyst_of_a_match_is_shown_the_name_of_the_first(console):
    find, other = finds(console)[-2:]
    with console.page(f"/review/{find.name}", "ana", language="en") as mine:
        opened(mine, find.name)
        with console.page(f"/review/{find.name}", "bai", language="en") as theirs:
            expect(theirs.get_by_role("note").filter(has_text="ana")).to_be_visible()
            expect(theirs.get_by_role("button", name="Infringing", exact=True)).to_be_disabled()
            screenshot(theirs, "review-held")
            theirs.keyboard.press("y")
            expect(theirs.get_by_text(f"ana is reviewing {find.name}")).to_be_visible()
            assert console.runtime.stores.matches.get(find.name).review == ""
            go(mine, "/account")  # the lease is given back
            theirs.reload()
            expect(theirs.get_by_role("button", name="Infringing", exact=True)).to_be_enabled()
            # Who comes late, with a lease that ended meanwhile, is refused what was seen before.
            console.runtime.stores.review_leases.claim(
                find.id, by="ana", window="w", now=utc_now() + timedelta(minutes=5)
            )
            console.runtime.stores.review_leases.release(find.id, window="w")
    with console.page(f"/review/{other.name}", "op", language="en") as watching:
        opened(watching, other.name)
        expect(watching.get_by_role("button", name="Infringing", exact=True)).to_have_count(0)


def test_find_is_set_aside_and_its_site_gets_a_licence(console):
    first, second = finds(console)[:2]
    with console.page(f"/review/{first.name}", "bai", language="en") as page:
        page.keyboard.press("h")
        note = page.get_by_label("What is doubtful?").last
        expect(note).to_be_focused()
        page.keyboard.type("可能是公版")
        page.keyboard.press("Enter")
        turned(page, first.name)
        assert console.runtime.stores.matches.get(first.name).because == "可能是公版"
        opened(page, second.name)
        page.keyboard.press("l")
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_label("Site, or a pattern")).to_have_value(SITE)
        dialog.get_by_label("First day").fill("2026-03-02")
        dialog.get_by_label("Last day").fill("2026-03-01")
        page.keyboard.press("Tab")
        dialog.get_by_role("button", name="Grant the licence").click()
        expect(dialog.get_by_role("alert")).to_contain_text("ends before it begins")
        dialog.get_by_label("Last day").fill("2026-03-31")
        dialog.get_by_role("button", name="Grant the licence").click()
        expect(page.locator(".told")).to_contain_text("Its finds are judged again")
        go(page, f"/review/{second.name}")
        expect(page.get_by_role("note").filter(has_text="has a licence now")).to_be_visible()
    work = console.runtime.stores.works.get_many([second.work_id])[second.work_id]
    assert [licence.site for licence in work.permissions] == [SITE]


def test_dismissal_reason_leads_to_its_matches_and_can_be_withdrawn(console):
    dismissed, *_ = finds(console)
    dismiss(dismissed, console.runtime.stores, reason="授权转载", by="bai")
    with console.page("/review/dismissals", "ana", language="en") as page:
        page.get_by_role("link", name=re.compile("授权转载")).click()
        expect(page.get_by_role("link", name=dismissed.name, exact=True)).to_be_visible()
        screenshot(page, "review-dismissals")
        row = page.get_by_role("row").filter(has=page.get_by_role("link", name=dismissed.name, exact=True))
        row.get_by_role("button").click()
        page.get_by_role("button", name="Count the stretch again").click()
        expect(page.get_by_role("link", name=dismissed.name, exact=True)).to_have_count(0)
    assert console.runtime.stores.matches.get(dismissed.name).review == ""


def test_decision_is_undone_on_another_page(console):
    decided, *_ = finds(console)
    dismiss(decided, console.runtime.stores, reason="看错了", by="bai")
    with console.page("/review/mine", "bai", language="en") as page:
        row = page.get_by_role("row").filter(has_text="看错了")
        screenshot(page, "review-mine")
        row.get_by_role("button").click()
        expect(row).to_have_count(0)
    assert console.runtime.stores.matches.get(decided.name).review == ""


def test_whole_site_is_decided_after_a_summary(console):
    left = len(finds(console))
    with console.page(f"/review?site={SITE}&state=open", "bai", language="en", width=390, touch=True) as page:
        expect(page.get_by_role("row")).to_have_count(left + 1)
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        go(page, f"/review/{finds(console)[0].name}")  # decisions are where the thumb is
        decision = page.get_by_role("button", name="Infringing", exact=True)
        expect(decision).to_be_in_viewport()
        assert 600 < decision.bounding_box()["y"] < 900 - 44
        (work,) = {match.work_id for match in finds(console)}
        go(page, f"/review?work={work}")
        expect(page.get_by_role("button", name="Decide on all of: 雾港来信", exact=True)).to_be_visible()
        page.get_by_role("button", name=f"Decide on all of: {SITE}", exact=True).click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text(f"{left} pages")
        screenshot(page, "review-all")
        dialog.get_by_text("Infringing", exact=True).click()
        dialog.get_by_role("button", name=f"Decide about {left} finds").click()
        expect(page.get_by_role("button", name=f"Review {SITE}", exact=True)).to_have_count(0)
    assert finds(console) == []
