"""Matches on a terminal and as JSON: a line of a table, and one with its texts side by side."""

from collections.abc import Iterable, Iterator

from analysis.texts.excerpts import Excerpt, SideBySide, side_by_side
from analysis.texts.marking import MarkedRun
from analysis.words.background import background_lines
from analysis.words.homophones import homophones_line
from analysis.words.i18n import gettext as _
from analysis.words.i18n import translator
from analysis.words.labels import DISGUISES, LICENCES, PRECEDENCES, REORDERED, VERDICTS, word
from analysis.words.page_texts import pieces_as_objects, place_line, place_notes
from analysis.words.posts import posts_line
from analysis.words.presence import presence_as_object, presence_text
from analysis.words.reviews import decision_lines, full_state, short_state
from analysis.words.templating import percent
from deploy.cli.clock import local_moment, own_zone
from deploy.cli.console import print_result, print_table
from storage.collections.stores import Stores
from storage.records import Background, Decided, Match, Presence
from system.batches import batched
from tracker.judgement.cases import presences_of
from tracker.runtime import Runtime

_BATCH = 200  # matches that are held at once
_UNMARKED = ("equal", "layout", "reordered")


def match_headers() -> tuple[str, ...]:
    """Return the headers of :func:`match_cells`."""
    return _("id"), _("verdict"), _("state"), _("characters"), _("share"), _("work"), _("page")


def match_cells(match: Match, presence: Presence | None) -> tuple[str | tuple[str, ...], ...]:
    """Return a match as a row of a table.

    Args:
        match: what was found.
        presence: whether its text is still up; None when no crawl looked.
    """
    titles = tuple(dict.fromkeys(filter(None, (match.work_title, match.edition, match.passage_title))))
    state = short_state(match, translator())
    verdict, place = word(translator(), VERDICTS, match.verdict), place_line(match, translator())
    return (
        match.name,
        (verdict, place) if place else verdict,
        (state, match.because) if match.because else state,
        str(match.copied_chars),
        percent(match.coverage),
        titles,
        (match.url, presence_text(presence, translator(), local_moment)) if presence else match.url,
    )


def print_matches(matches: Iterable[Match], stores: Stores) -> bool:
    """Print matches as a table, if there are any; returns whether there are.

    Args:
        matches: the rows, in their order.
        stores: knows whether their texts are still up.
    """
    rows = [match_cells(match, presence) for match, presence in _with_presences(matches, stores)]
    if rows:
        print_table(match_headers(), rows)
    return bool(rows)


def matches_as_objects(matches: Iterable[Match], stores: Stores) -> Iterator[dict[str, object]]:
    """Yield what ``--json`` prints of matches; arguments as of :func:`print_matches`."""
    for match, presence in _with_presences(matches, stores):
        yield {**match_as_object(match), "presence": presence_as_object(presence) if presence else None}


def _with_presences(matches: Iterable[Match], stores: Stores) -> Iterator[tuple[Match, Presence | None]]:
    """Yield matches, some hundred at a time, and whether their texts are still up."""
    for batch in batched(matches, _BATCH):
        presences = presences_of(batch, stores)
        yield from ((match, presences.get(match.page_id)) for match in batch)


def show_match(match: Match, runtime: Runtime) -> None:
    """Print a match: what was found, what was decided, and the two texts side by side."""
    texts = translator()
    verdict = word(texts, VERDICTS, match.verdict)
    print_result(f"{match.name}  {verdict} · {full_state(match, texts, own_zone())}")
    for line in _facts(match):
        print_result(f"  {line}")
    for presence in presences_of([match], runtime.stores).values():
        print_result("  " + presence_text(presence, texts, local_moment))
    for line in decision_lines(match, texts, own_zone()):
        print_result(f"  {line}")
    for line in background_lines(match, _background(match, runtime), texts=texts):
        print_result(f"  {line}")
    excerpts = _side_by_side(match, runtime)
    if excerpts is None:
        print_result("  " + _("The texts cannot be shown: page or passage is no longer what was compared."))
    else:
        _show_texts(excerpts)


def _background(match: Match, runtime: Runtime) -> tuple[Background, ...]:
    """Return what of a match's page stands in background texts."""
    pages = runtime.stores.pages.without_texts([match.page_id])
    return tuple(own for page in pages for own in page.background)


def _facts(match: Match) -> Iterator[str]:
    """Yield lines about a match."""
    title = f"{match.work_title} {match.passage_title}".strip()
    yield _("Work: {title}").format(title=title)
    if match.edition:
        yield _("Edition: {title}").format(title=match.edition)
    yield _("Page: {title} {url}").format(title=match.page_title, url=match.url)
    yield from place_notes(match, translator())
    if match.posts:
        yield posts_line(match.posts, translator())
    yield _("Site: {site}").format(site=match.site)
    yield _("{chars} characters copied: {share} of the page, {passage} of the passage").format(
        chars=match.copied_chars, share=percent(match.coverage), passage=percent(match.passage_coverage)
    )
    if match.disguises:
        names = _(", ").join(word(translator(), DISGUISES, name) for name in match.disguises)
        yield _("Disguises: {names}").format(names=names)
    if match.homophones:
        yield homophones_line(match.homophones, translator())
    if match.licence:
        yield word(translator(), LICENCES, match.licence)
    if match.work_published is not None:
        yield _("The work bears the date {date}").format(date=match.work_published)
    if match.page_published is not None:
        yield _("The page bears the date {date}").format(date=match.page_published)
    yield _("First seen {first}, last seen {last}").format(
        first=local_moment(match.first_seen), last=local_moment(match.last_seen)
    )
    if match.replaced is not None:
        yield _("An earlier version of the page, replaced since {date}").format(
            date=local_moment(match.replaced)
        )
    if match.page_older:
        yield word(translator(), PRECEDENCES, match.page_older_by)


def _side_by_side(match: Match, runtime: Runtime) -> SideBySide | None:
    pages = runtime.stores.pages.get_many([match.page_id])
    passages = runtime.stores.passages.get_many([match.passage_id])
    if match.page_id not in pages or match.passage_id not in passages:
        return None
    page, passage = pages[match.page_id], passages[match.passage_id]
    return side_by_side(match, page.text_of(match.part), passage.text)


def _show_texts(texts: SideBySide) -> None:
    """Print the stretches; what differs stands in brackets."""
    rows = [
        (str(number) if first else "", _side(row, "page"), _side(row, "passage"))
        for number, excerpt in enumerate(texts.excerpts, 1)
        for first, row in _rows(excerpt)
    ]
    print_table(("", _("the page"), _("the work")), rows)
    for number, excerpt in enumerate(texts.excerpts, 1):
        for code in filter(REORDERED.__contains__, excerpt.span.disguises):
            print_result(f"  {number}: {word(translator(), REORDERED, code)}")
    if texts.left_out_spans:
        print_result(_("… {chars} more characters in further stretches").format(chars=texts.left_out_chars))


def _rows(excerpt: Excerpt) -> Iterator[tuple[bool, tuple[MarkedRun, ...]]]:
    """Yield the rows of a stretch, and of each whether it is the first."""
    for number, row in enumerate(excerpt.rows):
        yield number == 0, row


def _side(runs: Iterable[MarkedRun], side: str) -> str:
    parts = ((run.kind, run.page if side == "page" else run.passage) for run in runs)
    text = "".join(part if kind in _UNMARKED or not part else f"[{part}]" for kind, part in parts)
    return " ".join(text.split())


def match_as_object(match: Match) -> dict[str, object]:
    """Return what ``--json`` prints of a match."""
    return {
        "id": match.id,
        "name": match.name,
        "work": match.work_title,
        "edition": match.edition,
        "passage": match.passage_title,
        "site": match.site,
        "url": match.url,
        "verdict": match.verdict,
        "coverage": match.coverage,
        "passage_coverage": match.passage_coverage,
        "copied_chars": match.copied_chars,
        "part": match.part,
        "found_in": pieces_as_objects(match.found_in),
        "licence": match.licence,
        "page_older": match.page_older,
        "page_older_by": match.page_older_by or None,
        "work_published": match.work_published.iso() if match.work_published else None,
        "page_published": match.page_published.iso() if match.page_published else None,
        "first_seen": match.first_seen.isoformat(),
        "last_seen": match.last_seen.isoformat(),
        "review": match.review or "open",
        "because": match.because,
        "reviewed": match.reviewed.isoformat() if match.reviewed else None,
        "inherited": match.inherited is not None,
        "decisions": [_decided_as_object(decided, match) for decided in match.decided],
        "undecided": [list(stretch) for stretch in match.undecided],
    }


def _decided_as_object(decided: Decided, match: Match) -> dict[str, object]:
    return {
        "id": decided.decision_id,
        "state": decided.state,
        "stretch": [decided.start, decided.end],
        "because": decided.because,
        "by": decided.by,
        "made": decided.made.isoformat(),
        "url": decided.url,
        "other_version": bool(decided.page_id) and decided.page_id != match.page_id,
    }
