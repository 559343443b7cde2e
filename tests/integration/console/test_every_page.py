"""Every page of the console: who sees it, what hinders people, hostile texts, narrow screens."""

from collections.abc import Iterator
from pathlib import Path

import axe_playwright_python
import pytest
import requests
from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as TookTooLong
from support.console import ACCOUNTS, SOURCE, Console, go, screenshot

from analysis.console.pages import PAGES
from storage.records import ROLES

pytestmark = pytest.mark.services

ALL = frozenset(ROLES)
STAFF = ALL - {"holder"}
# Who sees what; every page of the console stands here.
SEEN_BY = {
    "/": ALL,
    "/review": ALL,
    "/review/dismissals": frozenset({"analyst", "administrator"}),
    "/review/{match}": ALL,
    "/matches/{match}": ALL,
    "/cases": ALL,
    "/cases/{case}": ALL,
    "/works": ALL,
    "/works/{work}": ALL,
    "/statistics": ALL,
    "/check": ALL,
    "/sources": STAFF,
    "/sources/candidates": STAFF,
    "/sources/new": frozenset({"operator", "administrator"}),
    "/sources/{name}": STAFF,
    "/scans": STAFF,
    "/scans/{scan}": STAFF,
    "/pages": ALL,
    "/administration": frozenset({"administrator"}),
    "/administration/accounts/{account}": frozenset({"administrator"}),
    "/administration/audit": frozenset({"administrator"}),
    "/administration/evidence-log": frozenset({"administrator"}),
    "/administration/alerts": frozenset({"operator", "administrator"}),
    "/administration/doctor": frozenset({"operator", "administrator"}),
    "/administration/settings": frozenset({"operator", "administrator"}),
    "/account": ALL,
}
_AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
_RUN_AXE = """async () => (await axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']}))
  .violations.filter(found => ['serious', 'critical'].includes(found.impact))
  .map(found => found.id + ': ' + found.nodes.slice(0, 3).map(node => node.html.slice(0, 160)).join(' | '))"""
_MARKUP = "document.querySelectorAll('img[src=x], script:not([nonce]):not([src])').length"
_COMPILED = "document.body.innerText.includes('>49<')"
_OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def test_table_names_every_page():
    assert set(SEEN_BY) == {place.path for place, _build in PAGES}


@pytest.fixture(scope="module")
def addresses(console: Console) -> dict[str, str]:
    """Pattern of a path → an address of it, which is of a work that the holder may see."""
    stores = console.runtime.stores
    match = next(own for own in stores.matches.listed() if own.work_title == "青灯渡")
    case = next(own for own in stores.cases.listed() if own.work_id == match.work_id)
    parts = {
        "account": "ana",
        "name": SOURCE,
        "scan": "scan-1",
        "match": match.name,
        "case": case.name,
        "work": str(match.work_id),
    }
    return {path: path.format(**parts) for path in SEEN_BY}


@pytest.mark.parametrize("role", ROLES)
def test_role_reaches_exactly_its_pages(console, addresses, role):
    account = next(name for name, own in ACCOUNTS.items() if own == role)
    with requests.Session() as session:
        session.cookies.update(console.sign_in(account))
        session.headers["Accept-Language"] = "en"
        seen = {path for path, address in addresses.items() if _is_shown(session, console.address + address)}
    assert seen == {path for path, roles in SEEN_BY.items() if role in roles}


def _is_shown(session: requests.Session, address: str) -> bool:
    answer = session.get(address, timeout=60)
    assert answer.status_code in {200, 403}, (address, answer.text[:500])
    assert (answer.status_code == 403) == ("lacks the permission" in answer.text)
    return answer.status_code == 200


UNKNOWN = (
    "/review/m999999",
    "/matches/m999999",
    "/cases/c999999",
    "/works/999999",
    "/works/x",
    "/sources/nobody",
    "/scans/never",
    "/administration/accounts/nobody",
)


def test_missing_page_is_404_and_forbidden_records_look_missing(console, addresses):
    cookies = {name: console.sign_in(name) for name in ("admin", "hol")}

    def status(name: str, path: str) -> int:
        return requests.get(console.address + path, cookies=cookies[name], timeout=60).status_code

    assert [status("admin", path) for path in UNKNOWN] == [404] * len(UNKNOWN)
    foreign = next(own for own in console.runtime.stores.cases.listed() if own.work_title == "雾港来信")
    assert [status(name, f"/cases/{foreign.name}") for name in cookies] == [200, 404]
    for known, unknown in (("/sources/{name}", "/sources/nobody"), ("/scans/{scan}", "/scans/never")):
        assert status("hol", addresses[known]) == status("hol", unknown) == 403


def test_strangers_are_led_to_the_way_in(console, addresses):
    for address in addresses.values():
        answer = requests.get(
            console.address + address, headers={"Accept": "text/html"}, allow_redirects=False, timeout=60
        )
        assert (answer.status_code, answer.headers["Location"][:8]) == (303, "/sign-in")


@pytest.mark.parametrize(
    ("language", "dark"), [("zh", False), pytest.param("en", True, marks=pytest.mark.long)]
)
def test_every_page_is_accessible_safe_and_fits_a_telephone(console, addresses, language, dark):
    complaints: list[str] = []
    with console.window("admin", language=language, dark=dark) as window:
        page = window.new_page()
        page.on("dialog", lambda dialog: complaints.append(f"a script ran: {dialog.message}"))
        for path, address in addresses.items():
            go(page, address)
            complaints += [f"{path}: {found}" for found in _complaints(page)]
            name = path.strip("/").replace("/", "-") or "today"
            screenshot(page, f"{name}-{language}-{'dark' if dark else 'light'}-1440")
            page.set_viewport_size({"width": 390, "height": 844})
            try:
                page.wait_for_function(f"{_OVERFLOW} <= 0", timeout=10_000)  # once the menu is gone
            except TookTooLong:
                complaints.append(f"{path}: {page.evaluate(_OVERFLOW)} pixels beyond the screen at 390")
            screenshot(page, f"{name}-{language}-{'dark' if dark else 'light'}-390")
            page.set_viewport_size({"width": 1440, "height": 900})
    assert not complaints, "\n".join(complaints)


def _complaints(page: Page) -> Iterator[str]:
    if page.evaluate(_MARKUP):
        yield "foreign markup"
    if page.evaluate(_COMPILED):
        yield "a foreign template was filled in"
    page.evaluate(_AXE)
    yield from page.evaluate(_RUN_AXE)
