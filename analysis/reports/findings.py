"""Group matches by case, and add their texts."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from analysis.cases.views import CaseView, views
from analysis.evidence.captures import CaptureEvidence
from analysis.reports.records import CaseReport, MatchReport, PageFacts
from analysis.texts.excerpts import side_by_side
from storage.collections.cases import case_id
from storage.collections.stores import Stores
from storage.records import VERDICTS, Case, Match, Page, Passage, Work, utc_now
from storage.settings.results import AnalysisSettings
from tracker.judgement.cases import case_of, presences_of

_AT_ONCE = 5  # number of matches of a case that are chosen in one round
_BATCH = 50  # matches whose texts are in memory at once; a passage has at most about 50,000 characters


def case_reports(
    stores: Stores,
    pages: Mapping[str, Page],
    matches: Iterable[Match],
    *,
    max_texts: int,
    settings: AnalysisSettings,
) -> tuple[CaseReport, ...]:
    """Return the cases of matches, the gravest first.

    Args:
        stores: the database with works, cases and texts.
        pages: the pages of the matches, without texts.
        matches: all matches in scope.
        max_texts: maximum number of matches with texts; the gravest few of each case come first.
        settings: settings with deadlines and traffic ranks.
    """
    grouped: dict[str, list[Match]] = defaultdict(list)
    for match in matches:
        grouped[case_id(match.work_id, match.site)].append(match)
    evidence = CaptureEvidence(stores)
    stored_cases = stores.cases.get_many(list(grouped))
    called_for = {
        view.case.id: view for view in views(stored_cases.values(), stores, settings, now=utc_now())
    }
    presences = presences_of((match for group in grouped.values() for match in group), stores)
    older = stores.pages.count_older({match.url for group in grouped.values() for match in group})
    works = stores.works.get_many({group[0].work_id for group in grouped.values()})
    cases = sorted((case_of(group, presences) for group in grouped.values()), key=_gravity)
    ordered = [sorted(grouped[case.id], key=_gravity) for case in cases]
    full = _matches_with_texts(ordered, max_texts)
    return tuple(
        _case_report(
            case,
            called_for.get(case.id),
            work=works.get(case.work_id),
            matches=tuple(
                replace(report, presence=presences.get(report.match.page_id))
                for report in _match_reports(stores, pages, case_matches, evidence, older=older, full=full)
            ),
        )
        for case, case_matches in zip(cases, ordered, strict=True)
    )


def _matches_with_texts(cases: Sequence[Sequence[Match]], count: int) -> set[str]:
    """Return the ids of the matches to show with texts: in each round a few matches of each case.

    Args:
        cases: the matches of each case; the gravest case and the gravest match come first.
        count: maximum number of matches.
    """
    ranked = [
        (index // _AT_ONCE, number, index, match.id)
        for number, matches in enumerate(cases)
        for index, match in enumerate(matches)
    ]
    return {key for *_, key in sorted(ranked)[:count]}


def _case_report(
    case: Case, view: CaseView | None, *, work: Work | None, matches: tuple[MatchReport, ...]
) -> CaseReport:
    """Return a case with the sums of the pages in scope, and with its stored name, state and deadline."""
    if view is None:
        return CaseReport(case=case, work=work, matches=matches)
    stored = view.case
    case_record = replace(
        case,
        number=stored.number,
        state=stored.state,
        since=stored.since,
        reason=stored.reason,
        assignee=stored.assignee,
        deadline=view.deadline,
    )
    return CaseReport(
        case=case_record,
        work=work,
        matches=matches,
        priority=view.priority.points,
        is_overdue=view.is_overdue,
    )


def _gravity(record: Case | Match) -> tuple[int, int, str]:
    """Return a key that sorts the gravest verdict first, then the most copied."""
    return VERDICTS.index(record.verdict), -record.copied_chars, record.id


def _match_reports(
    stores: Stores,
    pages: Mapping[str, Page],
    matches: Sequence[Match],
    evidence: CaptureEvidence,
    *,
    older: Mapping[str, int],
    full: Collection[str],
) -> Iterator[MatchReport]:
    """Yield the matches of a case in order, with texts for the chosen ones."""
    for batch in _batches(matches):
        shown = [match for match in batch if match.id in full]
        texts = stores.pages.get_many({match.page_id for match in shown})
        passages = stores.passages.get_many({match.passage_id for match in shown})
        for match in batch:
            page = pages.get(match.page_id)
            if match.id not in full:
                yield MatchReport(match=match, page=_page_facts(page, older), texts=None, no_text="limit")
                continue
            facts = _page_facts(page, older, evidence)
            yield _make_match_report(match, facts, texts.get(match.page_id), passages.get(match.passage_id))


def _batches(matches: Sequence[Match]) -> Iterator[Sequence[Match]]:
    for start in range(0, len(matches), _BATCH):
        yield matches[start : start + _BATCH]


def _make_match_report(
    match: Match, facts: PageFacts | None, page: Page | None, passage: Passage | None
) -> MatchReport:
    if page is None or passage is None:
        return MatchReport(match=match, page=facts, texts=None, no_text="gone")
    texts = side_by_side(match, page.text_of(match.part), passage.text)
    return MatchReport(match=match, page=facts, texts=texts, no_text="" if texts else "changed")


def _page_facts(
    page: Page | None, older: Mapping[str, int], evidence: CaptureEvidence | None = None
) -> PageFacts | None:
    if page is None:
        return None
    return PageFacts(
        id=page.id,
        url=page.url,
        source=page.source,
        kind=page.kind,
        title=page.title,
        author=page.author,
        published=page.published,
        first_seen=page.first_seen,
        last_seen=page.last_seen,
        content_hash=page.content_hash,
        snapshots=page.snapshots,
        background=page.background,
        older_versions=older.get(page.url, 0),
        captures=evidence.of_page(page) if evidence is not None else (),
    )
