"""Statistics in the console: charts with their numbers; the simulator says what the command says."""

import json
import re
from dataclasses import replace

import pytest
from playwright.sync_api import expect
from support.commands import run_command
from support.console import go, screenshot

pytestmark = pytest.mark.services


@pytest.fixture
def reviewed(console):
    """Two matches that people decided about, as they were before afterwards."""
    matches = console.runtime.stores.matches
    found = [match for match in matches.listed() if not match.review]
    before = [
        next(own for own in found if (own.verdict == "partial") is is_part) for is_part in (True, False)
    ]
    for match, state in zip(before, ("confirmed", "dismissed"), strict=True):
        matches.settle(replace(match, review=state))
    yield before
    for match in before:
        matches.settle(match)


def evaluated(console, folder, *arguments):
    """Return what the command prints."""
    words = "profile", "evaluate", "--json", *arguments
    return json.loads(run_command(*words, environment=console.environment, folder=folder).stdout)


@pytest.mark.usefixtures("reviewed")
def test_simulator_shows_the_figures_of_the_command(console, tmp_path):
    with console.page("/statistics", "ana", language="en") as page:
        figures = page.get_by_role("table", name="Measures with both sets of thresholds")
        present = evaluated(console, tmp_path)
        expect(figures).to_contain_text(f"Correctly found{present['tried']['found_rightly']}")
        steps = {
            "Copy: share of the chapter found on the page": 8,
            "Copy: share of the page that is copied": 6,
        }
        for label, count in steps.items():
            handle = page.get_by_role("slider", name=label).locator("[tabindex]")
            for _ in range(count):  # of a tenth each
                handle.press("PageDown")
        sets = ("--set", "copy_passage_coverage=0", "--set", "copy_coverage=0")
        tried = evaluated(console, tmp_path, *sets)
        expect(page.get_by_text("copy_coverage = 0")).to_be_visible()
        for label, name in (("Correctly found", "found_rightly"), ("False positives", "found_wrongly")):
            row = figures.get_by_role("row").filter(has_text=label)
            expect(row.get_by_role("cell").last).to_have_text(str(tried["tried"][name]))
        assert tried["changed"]
        changes = page.get_by_role("table", name="Verdicts that change")
        for item in tried["changed"][:30]:
            expect(changes).to_contain_text(item["name"])
        expect(page.get_by_role("img", name=re.compile("Pages with finds")).locator("canvas")).to_be_visible()
        screenshot(page, "statistics")
        page.get_by_role("button", name="Back to the current thresholds").click()
        expect(page.get_by_text("No verdict would change.")).to_be_visible()


def test_holder_gets_figures_of_visible_works_only(console):
    with console.page("/statistics", "hol", language="en") as page:
        page.get_by_text("The numbers as a table").first.click()
        expect(page.get_by_role("table", name=re.compile("Pages with finds"))).to_be_visible()
        expect(page.get_by_role("main")).not_to_contain_text("雾港来信")
        go(page, "/works")
        expect(page.get_by_role("link", name="青灯渡")).to_be_visible()
