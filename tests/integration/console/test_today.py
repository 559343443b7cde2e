"""The first page: each number leads to its list, and the list has as many."""

import re

import pytest
from playwright.sync_api import expect
from support.console import screenshot

pytestmark = pytest.mark.services


def number_of(tile):
    return int(tile.locator(".number").inner_text().replace(",", "").rstrip("+"))


@pytest.mark.parametrize("name", ["ana", "hol"])
def test_each_number_leads_to_a_list_with_as_many(console, name):
    with console.page("/", name, language="en") as page:
        screenshot(page, f"today-{name}")
        tiles = page.locator("a.tile")
        shown = [(number_of(tile), tile.get_attribute("href")) for tile in tiles.all()]
        cases = [(number, target) for number, target in shown if target.startswith("/cases")]
        assert len(cases) >= 3
        assert any(number for number, _ in cases)
        for number, target in cases:
            page.goto(target)
            assert page.locator("table.list tbody tr").count() == number, target


def test_health_of_the_services_comes_a_moment_later(console):
    with console.page("/", "op", language="en") as page:
        services = page.get_by_label("Services")
        expect(services).to_be_visible(timeout=15_000)
        expect(services.get_by_role("row", name=re.compile("MongoDB"))).to_contain_text("Good")
        # No worker runs in this test, and that is told.
        expect(services.get_by_role("row", name=re.compile("^worker"))).to_contain_text("Wrong")


def test_a_holder_is_told_nothing_of_others_and_of_services(console):
    with console.page("/", "hol", language="en") as page:
        expect(page.get_by_role("heading", name="Today")).to_be_visible()
        assert page.get_by_text("雾港来信").count() == 0
        assert page.get_by_text("Sources, index, workers and queue").count() == 0
