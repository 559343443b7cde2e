"""The undecided matches, grouped by site, the gravest first; and lists of decided matches."""

from collections.abc import Mapping
from functools import partial
from typing import get_args

from nicegui import ui

from analysis.console.parts.badges import review_badge, verdict_badge
from analysis.console.parts.case_filter import LEADS
from analysis.console.parts.filter_values import since_of
from analysis.console.parts.filters import FilterForm, show_recent_filters
from analysis.console.parts.find_view import page_address
from analysis.console.parts.lists import SHOWN, address, nothing, pager
from analysis.console.parts.match_table import Cell, match_table
from analysis.console.parts.review_many import decide_all
from analysis.console.parts.sorting import Sorting
from analysis.console.parts.tables import Column, Row, Table
from analysis.console.parts.texts import foreign, plain
from analysis.console.places import DISMISSALS, OWN_DECISIONS
from analysis.console.shell import name_control
from analysis.console.view import View
from analysis.fields.matches import FINDS_FIELDS
from analysis.queries.matches import MatchQuery, Review, list_matches
from analysis.queries.review import MOST_COUNTED, SiteFinds, count_finds, list_sites
from analysis.queries.works import get_work
from analysis.words.labels import DISGUISES, REVIEWS, VERDICTS
from storage.collections.filters import MatchOrder
from storage.records import DECISION_STATES, Case, Match, ReviewState, Verdict
from storage.records import VERDICTS as ORDERED

_PATH = "/review"
_DAY_CHARS = len("2026-11-23")
_SHOWN = 8  # maximum number of shown works per site
_REVIEWS: tuple[Review, ...] = get_args(Review)
_SORTED: Mapping[str, tuple[MatchOrder, MatchOrder]] = {
    "copied_chars": ("chars", "-chars"),
    "coverage": ("share", "-share"),
    "site": ("site", "-site"),
    "work": ("work", "-work"),
    "first_seen": ("oldest", "newest"),
}
_NUMBERS = frozenset({"copied_chars", "coverage", "first_seen"})
_ORDERS = [order for orders in _SORTED.values() for order in orders]


async def build(
    view: View,
    *,
    state: str = "",
    site: str = "",
    work: str = "",
    verdict: str = "",
    since: str = "",
    disguise: str = "",
    order: str = "",
    cursor: str = "",
) -> None:
    """Show the undecided matches by site, or the matches in one state.

    Args:
        view: the page.
        state: of review; empty: what waits, by site.
        site: where the finds are; empty: on all.
        work: id of their work; empty: of all.
        verdict: theirs, or :data:`LEADS`; empty: all.
        since: the day or the moment from which on they were first seen; empty: ever.
        disguise: how the copy is disguised; empty: any.
        order: of the list; empty: the gravest first.
        cursor: of a further part of the list.
    """
    filters = {
        "state": state,
        "site": site,
        "work": work,
        "verdict": verdict,
        "since": since,
        "disguise": disguise,
        "order": order,
    }
    _tabs(view, state, {"site": site, "work": work}, await view.read(count_finds))
    if state in _REVIEWS or site or order or disguise:
        await _finds(view, filters, cursor)
    else:
        show_recent_filters(view, _PATH)
        await _sites(view, work, cursor)


def _tabs(view: View, state: str, kept: dict[str, str], counts: dict[ReviewState, int]) -> None:
    """Show links to the lists, with the number of matches in each state."""
    with ui.element("nav").classes("row-line tabs") as tabs:
        tabs.props["aria-label"] = view.gettext("Lists of finds")
        lists = [("", view.gettext("By site"))]
        is_all = not any(kept.values())
        for review in _REVIEWS:
            count = counts["" if review == "open" else review]
            number = f" {count:,}" + ("+" if count == MOST_COUNTED else "") if is_all else ""
            lists.append((review, f"{view.word(REVIEWS, review)}{number}"))
        for tab, words in lists:
            link = ui.link(words, address(_PATH, {**kept, "state": tab} if tab else {})).classes("tab")
            if tab == state:
                link.props('aria-current="page"')
        if OWN_DECISIONS.permission is not None and view.may(OWN_DECISIONS.permission):
            ui.link(view.gettext(OWN_DECISIONS.title), OWN_DECISIONS.path).classes("tab")
        if DISMISSALS.permission is not None and view.may(DISMISSALS.permission):
            ui.link(view.gettext("Dismissals by reason"), DISMISSALS.path).classes("tab")


async def _sites(view: View, work: str, cursor: str) -> None:
    number = int(work) if work.isdecimal() else None
    listing = await view.read(list_sites, work=number, cursor=cursor)
    if number is not None:
        await _whole_work(view, number)
    if not listing.items:
        nothing(view, view.gettext("No open finds. The next scan may add some."))
    for group in listing.items:
        _site(view, group, work)
    if cursor or listing.next:
        pager(view, _PATH, {"work": work}, following=listing.next)


async def _whole_work(view: View, number: int) -> None:
    """Show the work that the list is restricted to, and a button to decide about all its matches."""
    title = (await view.read(get_work, number)).title
    with ui.element("div").classes("row-line"):
        foreign(title).classes("subtitle")
        if view.may("matches:decide"):
            _all_button(view, title, site=None, work=number)
        ui.link(view.gettext("All works"), _PATH)


def _site(view: View, group: SiteFinds, work: str) -> None:
    target = address(_PATH, {"site": group.site, "work": work, "state": "open"})
    with ui.element("section").classes("panel site"):
        with ui.element("div").classes("row-line"):
            with ui.element("h2").classes("subtitle"), ui.link(target=target):
                foreign(group.site)
            waiting = view.ngettext("{count:,} to decide", "{count:,} to decide", group.waiting)
            plain(waiting.format(count=group.waiting)).classes("badge warn")
            for state in DECISION_STATES:
                if count := group.count(state):
                    decided = address(_PATH, {"site": group.site, "work": work, "state": state})
                    ui.link(f"{view.word(REVIEWS, state)} {count:,}", decided).classes("small")
            ui.space()
            number = int(work) if work.isdecimal() else None
            start = partial(_start, view, group.site, number)
            button = ui.button(view.gettext("Review"), icon="rule", on_click=start)
            name_control(button, view.gettext("Review {site}").format(site=group.site))
            if view.may("matches:decide"):
                _all_button(view, group.site, site=group.site, work=number)
        _works(view, group)


async def _start(view: View, site: str, work: int | None) -> None:
    """Open the gravest undecided match of a site."""
    query = MatchQuery(site=site, work=work, review="open")
    listing = await view.read(list_matches, query, limit=1)
    if listing.items:
        ui.navigate.to(page_address(listing.items[0].name, site=site, work=work, state="open"))
    else:
        ui.navigate.reload()  # another user has decided about it


def _all_button(
    view: View, title: str, *, site: str | None, work: int | None, is_small: bool = False
) -> None:
    async def decide() -> None:
        if await decide_all(view, title, site=site, work=work):
            ui.navigate.reload()

    button = ui.button(view.gettext("Decide all …"), on_click=decide)
    button.props("flat dense" if is_small else "outline")
    name_control(button, view.gettext("Decide on all of: {title}").format(title=title))


def _works(view: View, group: SiteFinds) -> None:
    columns = (
        Column(view.gettext("Work"), "wide"),
        Column(view.gettext("Verdict"), "word"),
        Column(view.gettext("Characters"), "number"),
        Column(view.gettext("To decide"), "number"),
        *(Column(view.word(REVIEWS, state), "number") for state in DECISION_STATES),
        Column(view.gettext("All of the work"), "word"),
    )
    title = view.gettext("Works copied on {site}").format(site=group.site)
    table = Table(title, columns if view.may("matches:decide") else columns[:-1])
    for case in group.cases[:_SHOWN]:
        _work(view, table, group.site, case)
    if (more := len(group.cases) - _SHOWN) > 0:
        line = view.ngettext("{count} more work", "{count} more works", more).format(count=more)
        ui.link(line, address(_PATH, {"site": group.site, "state": "open"})).classes("small")


def _work(view: View, table: Table, site: str, case: Case) -> None:
    with table.row() as row:
        row.link(case.work_title, address(_PATH, {"site": site, "work": case.work_id, "state": "open"}))
        with row.cell():
            verdict_badge(view, case.verdict)
        row.cell(f"{case.copied_chars:,}")
        for count in (case.waiting, *(case.reviews.get(state, 0) for state in DECISION_STATES)):
            row.cell(f"{count:,}").classes("" if count else "none")
        if view.may("matches:decide"):
            with row.cell():
                if case.waiting:
                    title = f"{case.work_title} @ {site}"
                    _all_button(view, title, site=site, work=case.work_id, is_small=True)


async def _finds(view: View, filters: dict[str, str], cursor: str) -> None:
    """Show matches as a list."""
    form = FilterForm(view, _PATH, filters)
    form.text("site", view.gettext("Site"))
    verdicts: dict[str, str] = {code: view.word(VERDICTS, code) for code in VERDICTS}
    leads = {LEADS: view.gettext("Copies and partial copies")}
    form.choice("verdict", view.gettext("Verdict"), {**leads, **verdicts})
    form.choice(
        "disguise",
        view.gettext("Disguise"),
        {code: view.gettext(words) for code, words in DISGUISES.items()},
    )
    form.day("since", view.gettext("First seen since"))
    form.button()
    review_state: Review | None = next(
        (review_state for review_state in _REVIEWS if review_state == filters["state"]), None
    )
    verdict: Verdict | None = next((code for code in ORDERED if code == filters["verdict"]), None)
    number = filters["work"]
    query = MatchQuery(
        site=filters["site"],
        work=int(number) if number.isdecimal() else None,
        review=review_state,
        verdict=verdict,
        leads=filters["verdict"] == LEADS,
        since=since_of("since", filters["since"], view.installation.zone),
        disguise=next((code for code in DISGUISES if code == filters["disguise"]), ""),
        order=next((order for order in _ORDERS if order == filters["order"]), "gravest"),
    )
    listing = await view.read(list_matches, query, cursor=cursor, limit=SHOWN)
    if not listing.items:
        nothing(view, view.gettext("No finds match these filters."))
    else:
        _table(view, listing.items, query, Sorting(_PATH, filters, _SORTED, _NUMBERS))
    pager(view, _PATH, filters, following=listing.next)


def _table(view: View, matches: tuple[Match, ...], query: MatchQuery, sorting: Sorting) -> None:
    def target(match: Match) -> str:
        return page_address(match.name, site=match.site, work=query.work, state=query.review or "open")

    def review(row: Row, match: Match) -> None:
        with row.cell():
            if not match.review:
                plain(view.word(REVIEWS, "open"))
                return
            review_badge(view, match.review)
            if match.because:
                foreign(match.because, most=80).classes("small soft")

    cells: dict[str, Cell] = {
        "match": lambda row, match: row.link(match.name, target(match)),
        "page_title": lambda row, match: row.link(match.page_title or match.url, target(match)),
        "site": lambda row, match: row.cell(match.site),
        "work": lambda row, match: row.cell(f"{match.work_title} {match.passage_title}".strip()),
        "review": review,
        "first_seen": lambda row, match: row.cell(view.moment(match.first_seen)[:_DAY_CHARS]),
    }
    match_table(
        view,
        view.gettext("Finds"),
        matches,
        fields=FINDS_FIELDS,
        surface="finds",
        cells=cells,
        kinds={"work": "wide"},
        sorting=sorting,
    )
