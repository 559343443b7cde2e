"""Render the report of a package: one HTML file without scripts or external resources, Chinese or English.

The most serious matches appear with their texts, further ones as table rows. The package contains all of
them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import islice
from zoneinfo import ZoneInfo

from analysis.evidence.capture_files import is_sha256
from analysis.evidence.contents import PackageProblem
from analysis.evidence.for_outsiders import redacted_texts
from analysis.fields.figures import figures_of
from analysis.texts.excerpts import SideBySide, side_by_side
from analysis.words import labels as words
from analysis.words.i18n import Translator
from analysis.words.imports import import_line
from analysis.words.templating import environment
from storage.collections.stores import Stores
from storage.records import VERDICTS, Capture, CaptureSession, Case, Event, Match, Page, moment_text

_SHOWN = 20  # maximum number of matches that are shown with their texts
_LISTED = 1_000  # maximum number of matches that are shown as rows, and of problems
_CAPTURES = 6  # maximum number of shown captures per page
_SESSIONS = 30  # maximum number of shown environments, the latest ones
_MATCH_CHARS = 1_500  # maximum number of shown characters per match


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownMatch:
    """A match with its page and its texts. ``texts`` is None if they are not the compared ones."""

    match: Match
    page: Page | None
    captures: tuple[Capture, ...]
    texts: SideBySide | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageFacts:
    """The facts about a package in its report.

    Attributes:
        number: number of the package.
        fingerprint: fingerprint of the signing key; empty if it is not sealed.
        authorities: the timestamp authorities; none: it is not timestamped.
        counts: numbers of ``matches``, ``pages``, ``passages`` and ``captures``.
        history: the listed events of the cases.
        sessions: the environments of the captures, the earliest first.
        versions: versions of the programs that influence results.
    """

    number: str
    made: datetime
    by: str
    fingerprint: str
    authorities: tuple[str, ...]
    excerpts: bool
    counts: Mapping[str, int]
    cases: tuple[Case, ...]
    history: tuple[Event, ...]
    problems: tuple[PackageProblem, ...]
    sessions: tuple[CaptureSession, ...]
    versions: Mapping[str, str]


def render_report(
    facts: PackageFacts, matches: Sequence[Match], stores: Stores, texts: Translator, *, timezone: str
) -> str:
    """Return the report as one self-contained HTML document.

    Args:
        facts: the facts about the package.
        matches: all matches in it.
        stores: contain the texts of the shown matches.
        texts: the language.
        timezone: IANA name of the zone for displayed times; the document mentions it.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    ordered = sorted(matches, key=_gravity)
    zone = ZoneInfo(timezone)
    templates = environment(texts, zone)
    templates.filters["figures"] = partial(figures_of, texts=texts, zone=zone)
    templates.tests["sha256"] = is_sha256
    moment = partial(moment_text, zone=zone)
    templates.filters["import_line"] = partial(import_line, texts=texts, moment=moment)
    return templates.get_template("package.html").render(
        facts=facts,
        files={},
        language=texts.language,
        listed=ordered[:_LISTED],
        problems=facts.problems[:_LISTED],
        sessions=facts.sessions[-_SESSIONS:],
        shown=list(_shown_matches(islice(ordered, _SHOWN), stores, excerpts=facts.excerpts)),
        timezone=timezone,
        words=words,
    )


def _gravity(match: Match) -> tuple[int, int, str]:
    return VERDICTS.index(match.verdict), -match.copied_chars, match.id


def _shown_matches(matches: Iterable[Match], stores: Stores, *, excerpts: bool) -> Iterator[ShownMatch]:
    for match in matches:
        page = stores.pages.get(match.page_id)
        passage = stores.passages.get_many([match.passage_id]).get(match.passage_id)
        texts = None
        if page is not None and passage is not None:
            texts = side_by_side(match, page.text_of(match.part), passage.text, limit=_MATCH_CHARS)
            texts = redacted_texts(texts) if excerpts else texts
        captures = _captures(page, stores) if page is not None else ()
        yield ShownMatch(match=match, page=page, captures=captures, texts=texts)


def _captures(page: Page, stores: Stores) -> tuple[Capture, ...]:
    """Return the first capture of each body of a page, and the last capture of all."""
    captures = stores.captures.of_bodies(list(page.snapshots))
    first = {capture.sha256: capture for capture in reversed(captures)}
    chosen = {capture.id: capture for capture in (*first.values(), *captures[-1:])}
    return tuple(islice(sorted(chosen.values(), key=lambda capture: capture.fetched), _CAPTURES))
