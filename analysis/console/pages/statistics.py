"""Statistics: matches and removals over time, coverage, offenders, groups, the threshold simulator."""

from nicegui import ui

from analysis.console.parts.charts import BLUE, ORANGE, bar_chart
from analysis.console.parts.lists import address, nothing
from analysis.console.parts.panels import titled_panel
from analysis.console.parts.simulator import Simulator
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import foreign, foreign_link, plain
from analysis.console.view import View
from analysis.queries.statistics import Figures, reviewed_of
from analysis.reports.building import KNOWN_PROFILES
from analysis.reports.distribution import BINS, Distribution
from analysis.reports.groups import TextGroup
from analysis.words.durations import duration
from analysis.words.figures import percent
from analysis.words.i18n import NC_
from tracker.judgement.profiles import all_profiles

_GROUPS = 20
_CARRIERS = 10
_DISTRIBUTIONS = 4  # maximum number of shown profiles, those with the most matches


async def build(view: View) -> None:
    """Show the figures."""
    profiles = all_profiles(view.installation.runtime.settings.tracker).values()
    known_profiles = {**KNOWN_PROFILES, **{profile.id: profile for profile in profiles}}
    figures = await view.read(view.installation.figures.figures_of, profiles=known_profiles)
    if not figures.matches:
        nothing(view, view.gettext("No finds yet. Add a work and a source, then start a scan."))
        return
    _scope(view, figures)
    with titled_panel(view.gettext("Finds and removals over time")):
        _timeline(view, figures)
    with titled_panel(view.gettext("Copied share of the pages")):
        for distribution in sorted(figures.distributions, key=lambda distribution: -sum(distribution.bins))[
            :_DISTRIBUTIONS
        ]:
            _distribution(view, distribution)
    with titled_panel(view.gettext("Threshold simulator")):
        await Simulator(view, await view.read(reviewed_of)).show()
    with titled_panel(view.gettext("Repeat offenders")):
        _offenders(view, figures)
    with titled_panel(view.gettext("Groups of copies of one text")):
        _groups(view, figures)


def _scope(view: View, figures: Figures) -> None:
    line = view.gettext("Counted: {matches} matches that are not dismissed, and {cases} cases with copies.")
    counts = {"matches": f"{figures.matches:,}", "cases": f"{figures.cases:,}"}
    plain(line.format(**counts), "p").classes("soft")
    if figures.is_cut or figures.cases_cut:
        cut = view.gettext(
            "These figures cover only the newest matches and the most serious cases. Reports "
            "count all of them."
        )
        plain(cut, "p").classes("note")


def _timeline(view: View, figures: Figures) -> None:
    steps = figures.timeline.steps
    units = {
        "day": view.gettext("Day"),
        "week": view.gettext("Week from"),
        "month": view.gettext("Month from"),
        "year": view.gettext("Year from"),
    }
    bar_chart(
        view,
        view.gettext("Pages with finds, by the time of their first appearance and first absence"),
        names=[step.start.isoformat() for step in steps],
        series=(
            (view.gettext("Found"), BLUE, [step.found for step in steps]),
            (view.gettext("Gone"), ORANGE, [step.gone for step in steps]),
        ),
        title=units[figures.timeline.unit],
    )


def _distribution(view: View, distribution: Distribution) -> None:
    words = {
        "partial_coverage": view.gettext("partial copy"),
        "copy_coverage": view.gettext("copy"),
    }
    plain(view.gettext("Profile {name}").format(name=distribution.profile), "h3").classes("small strong part")
    if distribution.thresholds:
        lines = (f"{words[mark.name]} ≥ {mark.share:.0%}" for mark in distribution.thresholds)
        line = view.gettext("Dashed lines: {thresholds} of the page")
        plain(line.format(thresholds=view.gettext(", ").join(lines)), "p").classes("soft small")
    bar_chart(
        view,
        view.gettext("Matches by the share of the page that is copied, profile {name}").format(
            name=distribution.profile
        ),
        names=[f"{number * 100 // BINS}–{(number + 1) * 100 // BINS} %" for number in range(BINS)],
        series=((view.gettext(NC_("count", "Matches")), BLUE, distribution.bins),),
        marks=[(words[mark.name], mark.share) for mark in distribution.thresholds],
        title=view.gettext("Share of the page"),
    )


def _offenders(view: View, figures: Figures) -> None:
    if not figures.offenders:
        line = view.gettext("No site copied several works or restored removed copies.")
        plain(line, "p").classes("soft")
        return
    columns = (
        Column(view.gettext("Site"), "word"),
        Column(view.gettext(NC_("count", "Works")), "number"),
        Column(view.gettext(NC_("count", "Cases")), "number"),
        Column(view.gettext("Copied characters"), "number"),
        Column(view.gettext(NC_("count", "Pages")), "number"),
        Column(view.gettext(NC_("count", "Gone")), "number"),
        Column(view.gettext(NC_("count", "Notices")), "number"),
        Column(view.gettext(NC_("count", "Removals")), "number"),
        Column(view.gettext(NC_("count", "Returns")), "number"),
        Column(view.gettext("Until removal"), "number"),
    )
    table = Table(view.gettext("Repeat offenders"), columns)
    for offender in figures.offenders:
        until = "–" if offender.hours_to_removal is None else duration(view.texts, offender.hours_to_removal)
        numbers = (
            offender.works,
            offender.cases,
            offender.copied_chars,
            offender.pages,
            offender.pages_gone,
            offender.notices,
        )
        with table.row() as row:
            row.link(offender.site, address("/cases", {"site": offender.site}))
            for number in (*numbers, offender.removals, offender.returns):
                row.cell(f"{number:,}")
            row.cell(until)


def _groups(view: View, figures: Figures) -> None:
    if not figures.groups:
        line = view.gettext("No text appears on two or more pages.")
        plain(line, "p").classes("soft")
        return
    for group in figures.groups[:_GROUPS]:
        _group(view, group)
    if (more := len(figures.groups) - _GROUPS) > 0:
        plain(view.ngettext("{count} more", "{count} more", more).format(count=more), "p")


def _group(view: View, group: TextGroup) -> None:
    with ui.element("details").classes("group"):
        with ui.element("summary"):
            foreign(f"{group.work} · {group.passage}".strip(" ·"), most=80)
            line = view.gettext("pages: {pages} · sites: {sites} · different texts: {texts}")
            figures = line.format(pages=group.pages, sites=group.sites, texts=group.texts)
            plain(f" – {figures}").classes("soft small")
        columns = (
            Column(view.gettext("First appearance"), "word"),
            Column(view.gettext("Match"), "word"),
            Column(view.gettext("Page"), "wide"),
            Column(view.gettext("Share of the chapter"), "number"),
            Column(view.gettext("Same text as the first"), "word"),
        )
        table = Table(view.gettext("Pages with this text"), columns)
        for carrier in group.carriers[:_CARRIERS]:
            with table.row() as row:
                claimed = "" if carrier.is_claimed else view.gettext(" (first seen by pindna)")
                row.cell(f"{view.moment(carrier.appeared)}{claimed}")
                row.link(carrier.match, f"/matches/{carrier.match}")
                with row.cell():
                    foreign_link(carrier.url)
                row.cell(percent(carrier.passage_coverage))
                row.cell(view.gettext("yes") if carrier.is_same else view.gettext("no"))
