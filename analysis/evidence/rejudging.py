"""Align and judge a page again with the recorded passages and rules. Pure.

The passages form a corpus in memory, and :func:`tracker.comparison.compare` compares the page with it, as for
``pindna check --corpus``. The influence of the whole corpus is determined when a package is made: passages of
other works are packed if the matches differ without them (:mod:`analysis.evidence.inputs`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace

from fingerprint.text.letters import to_letters
from storage.index.interface import PassageFingerprints
from storage.index.memory import MemoryIndex
from storage.records import Decision, Match, Page, Passage, PassageHead, Work, WorkKind, precedence
from tracker.comparison import ComparedText, Corpus, compare, rest_of
from tracker.comparison.passages import PassageReader
from tracker.corpus.memory import MemoryPassages, MemoryWorks
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.judgement.profiles import Profile
from tracker.judgement.reviewing import settled
from tracker.scans.pages import facts_of, match_record

COMPARED_FIELDS = (
    "url",
    "site",
    "page_title",
    "work_id",
    "passage_title",
    "profile",
    "verdict",
    "coverage",
    "passage_coverage",
    "copied_chars",
    "taken_chars",
    "longest_span",
    "char_identity",
    "sound_identity",
    "spans",
    "common",
    "suppressed",
    "disguises",
    "homophones",
    "page_chars",
    "page_background",
    "passage_background",
    "low_confidence",
    "licence",
    "page_older_by",
    "review",
    "found_in",
    "charged_to",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherPassage:
    """A passage of another work that takes part in the comparison of a page.

    Attributes:
        is_packed: its text is in the package, because the matches differ without it.
    """

    passage_id: int
    work: str
    passage: str
    sha256: str
    is_packed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementInputs:
    """All inputs of a page's matches, apart from the texts.

    Attributes:
        profiles: thresholds by kind of work.
        works: works of the passages, with their licences; they list no other passages.
        passages: all passages that the page is compared with.
        decisions: decisions about these passages on the page's site.
        is_settled: decisions are applied after the matches were judged; otherwise while they are judged.
        other_passages: passages of other works, with their state of packing.
    """

    profiles: dict[WorkKind, Profile]
    works: tuple[Work, ...] = ()
    passages: tuple[PassageHead, ...] = ()
    decisions: tuple[Decision, ...] = ()
    is_settled: bool = False
    other_passages: tuple[OtherPassage, ...] = ()


class _RecordedDecisions:
    """Decisions by the SHA-256 of passages."""

    def __init__(self, decisions: Iterable[Decision]) -> None:
        self._decisions = tuple(decisions)

    def of_passages(self, shas: Iterable[str], *, site: str) -> dict[str, list[Decision]]:
        """Return a site's decisions about passages."""
        return {
            sha: [
                decision
                for decision in self._decisions
                if decision.passage_sha256 == sha and decision.site == site
            ]
            for sha in shas
        }


@dataclass(frozen=True, slots=True)
class JudgementQuestion:
    """The matches of a page. A reader answers it, because the texts may come from anybody.

    Attributes:
        page: the page with its text.
        inputs: the other inputs.
        texts: texts of the passages, by id.
    """

    page: Page
    inputs: JudgementInputs
    texts: Mapping[int, str]

    @property
    def url(self) -> str:
        """Address of the page."""
        return self.page.url

    def answer(self) -> tuple[Match, ...]:
        """Return the matches."""
        return judge_again(self.page, self.inputs, self.texts)


def judge_again(page: Page, inputs: JudgementInputs, texts: Mapping[int, str]) -> tuple[Match, ...]:
    """Return the matches of a page with the recorded passages.

    Args:
        page: the page with its text.
        inputs: the other inputs.
        texts: texts of the passages, by id.

    Raises:
        KeyError: a text or a work is missing.
    """
    decisions = _RecordedDecisions(inputs.decisions)
    corpus = replace(_make_corpus(inputs, texts), decisions=None if inputs.is_settled else decisions)
    result = compare(ComparedText(page.text), corpus, facts=facts_of(page), rest=rest_of(page))
    matches = [match_record(page, match, result) for match in result.matches]
    if inputs.is_settled:
        shas = {passage.id: passage.sha256 for passage in inputs.passages}
        recorded = decisions.of_passages(set(shas.values()), site=page.site)
        matches = [settled(match, recorded[shas[match.passage_id]]) for match in matches]
    return tuple(matches)


def _make_corpus(inputs: JudgementInputs, texts: Mapping[int, str]) -> Corpus:
    works, passages, index = MemoryWorks(), MemoryPassages(), MemoryIndex()
    for work in inputs.works:
        works.save(work)
    for head in inputs.passages:
        text = texts[head.id]
        passages.save_many([passage_of(head, text)])
        index.add([PassageFingerprints(head.id, DEFAULT_PARAMS.of_passage(to_letters(text)))])
    return Corpus(PassageReader(works, passages), index, DEFAULT_PARAMS, inputs.profiles)


def passage_of(head: PassageHead, text: str) -> Passage:
    """Return a passage from its head and its text."""
    head_fields = {field.name: getattr(head, field.name) for field in fields(PassageHead)}
    return Passage(**head_fields, text=text)


def judgement_differences(match: Match, again: Iterable[Match]) -> list[str]:
    """Compare a stored match with its recomputed version. Return one line for each differing field.

    Args:
        match: the stored match.
        again: all recomputed matches of its page.
    """
    key = match.passage_id, match.part
    other = next((candidate for candidate in again if (candidate.passage_id, candidate.part) == key), None)
    if other is None:
        return [f"match: {match.name} → –"]
    if match.first_seen != other.first_seen:  # an older version of the page had the match
        by = precedence(page=other.page_published, first_seen=match.first_seen, work=other.work_published)
        other = replace(other, page_older_by=by)
    # With an edition, ``work_title`` is the title of its book.
    names = COMPARED_FIELDS if match.edition else ("work_title", *COMPARED_FIELDS)
    differing = [name for name in names if getattr(match, name) != getattr(other, name)]
    return [f"{name}: {field_change(getattr(match, name), getattr(other, name))}" for name in differing]


def field_change(before: object, now: object) -> str:
    """Return two values of a field on one line; of lists, what was removed and added."""
    if not isinstance(before, tuple) or not isinstance(now, tuple):
        return f"{_display_value(before)} → {_display_value(now)}"
    gone, come = [item for item in before if item not in now], [item for item in now if item not in before]
    if not gone and not come:
        return "order"
    parts = [
        *(f"−{_display_value(item)}" for item in gone[:3]),
        *(f"+{_display_value(item)}" for item in come[:3]),
    ]
    more = len(gone[3:]) + len(come[3:])
    return ", ".join(parts) + (f" (+{more})" if more else "")


def _display_value(value: object) -> str:
    """Return a value as it appears in a line; for a record, its values without their names."""
    if is_dataclass(value) and not isinstance(value, type):
        return "(" + " ".join(_display_value(getattr(value, field.name)) for field in fields(value)) + ")"
    if isinstance(value, tuple):
        return "[" + " ".join(map(_display_value, value)) + "]"
    return str(value) or "–"


def works_of(works: Iterable[Work], passages: Sequence[PassageHead]) -> tuple[Work, ...]:
    """Return works as a package contains them: with only the listed passages, and without their files."""
    ids: dict[int, list[int]] = {}
    for head in passages:
        ids.setdefault(head.work_id, []).append(head.id)
    distinct = {work.id: work for work in works if work.id in ids}
    bare = Work(id=0, key="", title="", kind="novel", origin="")
    return tuple(
        replace(work, origin="", passage_ids=tuple(ids[work.id]), lease=bare.lease, attempts=0)
        for work in distinct.values()
    )
