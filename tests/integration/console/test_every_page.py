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
    "/review/mine": frozenset({"analyst", "administrator"}),
    "/review/{match}": ALL,
    "/matches/{match}": ALL,
    "/cases": ALL,
    "/cases/{case}": ALL,
    "/works": ALL,
    "/works/loads": frozenset({"analyst", "operator", "administrator"}),
    "/works/{work}": ALL,
    "/statistics": ALL,
    "/check": ALL,
    "/sites/{site}": frozenset({"analyst", "administrator"}),
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
# Opens what is folded; axe leaves out icons, which are ligatures of a font.
_UNFOLD = """() => { document.querySelectorAll('details').forEach(part => { part.open = true; });
  document.querySelectorAll('.q-expansion-item--collapsed > div > .q-item')
    .forEach(part => part.click()); }"""
_FAINT = """() => {
  const numbers = colour => (colour.match(/[0-9.]+/g) || []).map(Number);
  const shade = ([red, green, blue]) => [red, green, blue].map(part => part / 255)
    .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const over = (upper, lower) => { const alpha = upper[3] ?? 1;
    return [0, 1, 2].map(at => upper[at] * alpha + lower[at] * (1 - alpha)); };
  const ground = element => { const colour = numbers(getComputedStyle(element).backgroundColor);
    if ((colour[3] ?? 1) === 1) return colour;
    const below = element.parentElement ? ground(element.parentElement) : [255, 255, 255];
    return over(colour, below); };
  const contrast = element => { const behind = ground(element);
    const light = [shade(over(numbers(getComputedStyle(element).color), behind)), shade(behind)];
    return (Math.max(...light) + 0.05) / (Math.min(...light) + 0.05); };
  const controls = 'button, a, input, textarea, select, summary, label, .q-item, .q-uploader__header';
  const parts = [...document.querySelectorAll('.q-icon, .q-btn__content, a, summary, .q-field__native,'
    + ' .q-field__label, .q-field__input, .q-uploader__title, .q-checkbox__label, .q-radio__label, kbd')];
  return parts.filter(part => part.closest(controls) && part.checkVisibility({opacityProperty: true})
      && part.getClientRects().length && !part.closest('[disabled], .disabled, [aria-disabled=true]'))
    .map(part => [contrast(part), part]).filter(([ratio]) => ratio < 4.5).slice(0, 5)
    .map(([ratio, part]) => ratio.toFixed(2) + ': ' + part.outerHTML.slice(0, 160)); }"""
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
        "site": case.site,
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
            complaints += [f"{path}: {found}" for found in _faint_controls(page)]
    assert not complaints, "\n".join(complaints)


def _complaints(page: Page) -> Iterator[str]:
    if page.evaluate(_MARKUP):
        yield "foreign markup"
    if page.evaluate(_COMPILED):
        yield "a foreign template was filled in"
    page.evaluate(_AXE)
    yield from page.evaluate(_RUN_AXE)


def _faint_controls(page: Page) -> Iterator[str]:
    """Yield the controls whose contrast is below 4.5 : 1 in one of the themes, with everything unfolded."""
    page.evaluate(_UNFOLD)
    page.wait_for_function("!document.querySelector('.q-expansion-item--collapsed')")
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # colours change at once
        page.wait_for_function(f"document.body.classList.contains('body--{theme}')")
        yield from (f"{theme}, contrast {found}" for found in page.evaluate(_FAINT))
    page.emulate_media(color_scheme="light", reduced_motion="no-preference")
