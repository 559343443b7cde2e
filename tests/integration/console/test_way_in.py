"""The way in, and what every page has around it."""

import re

import pytest
from playwright.sync_api import expect
from support.console import PASSWORD, screenshot

from analysis.accounts.managing import Manager

pytestmark = pytest.mark.services


def test_user_signs_in_reaches_the_requested_page_and_signs_out(console):
    with console.window("", language="en") as window:
        page = window.new_page()
        page.goto("/account")
        expect(page).to_have_url(re.compile(r"/sign-in\?next=%2Faccount|/sign-in\?next=/account"))
        screenshot(page, "sign-in")
        page.get_by_label("Name").fill("ana")
        page.get_by_label("Password", exact=True).fill("wrong")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_be_visible()
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        expect(page).to_have_url(f"{console.address}/account")
        (cookie,) = [cookie for cookie in window.cookies() if cookie["name"] == "pindna"]
        assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Lax")
        page.get_by_role("button", name=re.compile("ana")).click()
        page.get_by_text("Sign out").click()
        expect(page).to_have_url(f"{console.address}/sign-in")
        page.goto("/account")
        expect(page).to_have_url(re.compile("/sign-in"))
    console.problems.clear()  # the browser tells of the 401


def test_language_and_light_are_chosen_and_kept(console):
    with console.page("/", "ana", dark=True) as page:
        expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
        expect(page.locator("body")).to_have_class(re.compile("body--dark"))
        page.get_by_role("button", name="English").click()
        expect(page.locator("html")).to_have_attribute("lang", "en-US")
        expect(page.get_by_role("heading", name="Today", level=1)).to_be_visible()
    with console.page("/", "ana") as page:  # in another browser, too
        expect(page.locator("html")).to_have_attribute("lang", "en-US")
    Manager(console.runtime.stores, "admin").set_language("ana", "")
    with console.page("/", "ana") as page:
        expect(page.locator("html")).to_have_attribute("lang", "zh-CN")


def test_keyboard_user_reaches_every_page(console):
    with console.page("/", "admin", language="en") as page:
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="To the content")).to_be_focused()
        names = page.get_by_role("navigation", name="Pages").get_by_role("link").all_inner_texts()
        assert len(names) >= 1


def test_session_that_is_ended_ends_in_open_pages_too(console):
    with console.page("/account", "bai") as page:
        console.runtime.stores.sessions.end_all("bai")
        go_again = page.goto("/account")
        assert go_again is not None
        expect(page).to_have_url(re.compile("/sign-in"))
