"""The first page: each number leads to its list, and the list has as many."""

import re

import pytest
from playwright.sync_api import expect
from support.console import SITES, screenshot, store_page
from support.sample_novels import CHAPTERS
from support.watched import compare_all

pytestmark = pytest.mark.services


def number_of(tile):
    return int(tile.locator(".number").inner_text().replace(",", "").rstrip("+"))


@pytest.fixture(scope="module")
def _new_find(console):
    """A copy found after every scan that other tests have begun on this console."""
    runtime = console.runtime
    store_page(runtime, f"http://{SITES[0]}/book/new.html", "青灯渡 新", CHAPTERS["青灯渡"][2])
    compare_all(runtime.stores, runtime.corpus())


@pytest.mark.usefixtures("_new_find")
@pytest.mark.parametrize("name", ["ana", "hol"])
def test_every_number_leads_to_a_list_of_that_length(console, name):
    with console.page("/", name, language="en") as page:
        screenshot(page, f"today-{name}")
        tiles = page.locator("a.tile")
        shown = [(number_of(tile), tile.get_attribute("href")) for tile in tiles.all()]
        cases = [(number, target) for number, target in shown if target.startswith("/cases")]
        assert len(cases) >= 3
        assert any(number for number, _ in cases)
        finds = page.get_by_role("table", name="New copies").get_by_role("row").nth(1).get_by_role("link")
        cases.append((int(finds.nth(2).inner_text()), finds.nth(2).get_attribute("href")))
        assert finds.nth(0).get_attribute("href").startswith("/works/")
        for number, target in cases:
            page.goto(target)
            expect(page.get_by_role("search")).to_be_visible()
            expect(page.locator("table.list tbody tr"), target).to_have_count(number)


def test_health_of_the_services_comes_a_moment_later(console):
    with console.page("/", "op", language="en") as page:
        services = page.get_by_role("list", name="Services")
        expect(services).to_contain_text("MongoDB: Good", timeout=15_000)
        # No worker runs in this test, and that is told.
        problems = page.get_by_role("table", name="Services")
        expect(problems.get_by_role("row", name=re.compile("^worker"))).to_contain_text("Wrong")


def test_holder_page_shows_nothing_of_foreign_works_and_services(console):
    with console.page("/", "hol", language="en") as page:
        expect(page.get_by_role("heading", name="Today")).to_be_visible()
        assert page.get_by_text("雾港来信").count() == 0
        assert page.get_by_text("Sources, index, workers and queue").count() == 0
