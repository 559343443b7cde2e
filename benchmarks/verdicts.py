"""Verdicts of two versions of the profiles on the same pages.

Every page is compared with the old and the new thresholds, and counted by both verdicts. The pages are the
real pairs and the distractors of :mod:`support.changed.corpora`, and these kinds:

=================================== ===============================================================
none, edits 10 %                    pages of the mother corpus, unchanged and edited
copied N[, edited]                  N characters in a page of another work; if edited, 5 % of them
a third, half of an article         a third or half of a news article inside another article
ten works, N of each                N characters of each of ten works, alone or inside another work
a stub in a page                    a passage shorter than ``STUB_CHARS`` inside another work
=================================== ===============================================================

Thresholds are chosen with half of the works, and results are reported for the other half.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from random import Random
from typing import NamedTuple

from support.changed.changes import Surroundings, changed_text, copy_into_host, generator
from support.changed.corpora import Material
from support.changed.hard_questions import work_of
from support.changed.texts import Page, Passage, is_in_second_half

from benchmarks.report import Table
from benchmarks.tracker_search import FullComparison
from storage.records import VERDICTS, Verdict, WorkKind
from tracker.comparison import ComparedText, Corpus, compare
from tracker.comparison.matching import look_up
from tracker.judgement.profiles import EARLIER, PROFILES, Profile

DISTRACTORS = "clean"
STUB_CHARS = 300
PIECES = 10
_CHANGES = ("none", "edits 10 %", "copied 60", "copied 100", "copied 300", "copied 300, edited")
_SHARES = {"a third of an article in another": 1 / 3, "half of an article in another": 1 / 2}

Profiles = Mapping[WorkKind, Profile]

BEFORE: Profiles = {"news": EARLIER["news@2"], "novel": EARLIER["novel@2"]}


class LabelledPage(NamedTuple):
    """A page and its kind."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """Number of pages of one kind that had the verdict ``before`` and have the verdict ``after``."""

    kind: str
    before: Verdict
    after: Verdict
    pages: int


def is_for_choosing(work: str) -> bool:
    """Return whether a work is in the half for choosing thresholds.

    Articles are divided by the name of their work, which begins with a number. The function
    :func:`support.changed.hard_questions.is_unseen` divides them by their title. The thresholds of
    docs/decisions/0007 were chosen with this division. With another one, articles that were used to choose
    thresholds would be in the reported half.
    """
    return not is_in_second_half(work)


def measure(material: Material, *, seed: int, choosing: bool = False) -> list[Outcome]:
    """Return the outcomes for each kind of page.

    Args:
        material: the texts.
        seed: seed of the random changes.
        choosing: use the half of the works for choosing thresholds instead of the half for reporting.
    """
    checker = FullComparison()
    checker.add(material.passages)
    counts = Counter(
        (kind, *_verdicts_before_and_after(ComparedText(text), checker.corpus))
        for kind, text in questions(material, seed=seed, choosing=choosing)
    )
    return [Outcome(*key, pages) for key, pages in counts.items()]


def _verdicts_before_and_after(page: ComparedText, corpus: Corpus) -> tuple[Verdict, Verdict]:
    (candidates,) = look_up([page], corpus)
    before, after = (
        compare(page, replace(corpus, profiles=profiles), candidates=candidates).verdict
        for profiles in (BEFORE, PROFILES)
    )
    return before, after


def questions(material: Material, *, seed: int, choosing: bool) -> Iterator[LabelledPage]:
    """Yield the pages of all kinds.

    Args:
        material: the texts.
        seed: seed of the random changes.
        choosing: use the half of the works for choosing thresholds instead of the half for reporting. Clean
            pages and pairs are divided by the names of their works, too.
    """
    works = {passage.id: passage.source.work for passage in material.passages}
    for page in material.questions:
        if is_for_choosing(works[min(page.answers)]) == choosing:
            yield from _changed_pages(page, material.around, seed=seed)
    passages = [passage for passage in material.passages if is_for_choosing(passage.source.work) == choosing]
    count = len(material.questions)
    yield from _article_sections(passages, material, seed=seed, count=count)
    yield from _pages_of_ten_works(passages, material.around, seed=seed, count=count)
    yield from _pages_with_stubs(passages, material.around, seed=seed)
    for kind, pages in material.pairs.items():
        yield from (
            LabelledPage(kind, page.text) for page in pages if is_for_choosing(work_of(page)) == choosing
        )
    for page in material.distractors:
        if is_for_choosing(work_of(page)) == choosing:
            yield LabelledPage(f"{DISTRACTORS}, {page.kind}", page.text)


def _changed_pages(page: Page, around: Surroundings, *, seed: int) -> Iterator[LabelledPage]:
    """Yield a page once with each kind of change in ``_CHANGES``."""
    for kind in _CHANGES:
        text = changed_text(page.text, kind, document=page.id, seed=seed, around=around)
        yield LabelledPage(f"{kind}, {page.kind}", text)


def _article_sections(
    passages: Sequence[Passage], material: Material, *, seed: int, count: int
) -> Iterator[LabelledPage]:
    """Yield pages with a third, and with half, of each article inside another article."""
    hosts = [page.text for page in material.distractors if page.kind == "news"]
    around = replace(material.around, hosts=hosts)
    articles = [passage for passage in passages if passage.source.kind == "news"][:count] if hosts else []
    for kind, share in _SHARES.items():
        for passage in articles:
            copy_section = partial(copy_into_host, chars=round(share * len(passage.text)))
            yield LabelledPage(
                kind, copy_section(passage.text, _make_random(kind, passage, seed), around).text
            )


def _pages_of_ten_works(
    passages: Sequence[Passage], around: Surroundings, *, seed: int, count: int
) -> Iterator[LabelledPage]:
    """Yield pages with one stretch of each of ten works."""
    works = list(
        {passage.source.work: passage for passage in passages if len(passage.text) > STUB_CHARS}.values()
    )
    for chars, number in product((60, 150), range(count // 2)):
        kind = f"ten works, {chars} of each"
        chance = generator(kind, document=str(number), seed=seed)
        pieces = [
            _random_stretch(passage.text, chars, chance)
            for passage in chance.sample(works, min(PIECES, len(works)))
        ]
        yield LabelledPage(kind, "\n".join(pieces))
        yield LabelledPage(f"{kind}, in another work", _insert_pieces(pieces, chance.choice(around.hosts)))


def _random_stretch(text: str, chars: int, chance: Random) -> str:
    start = chance.randrange(max(1, len(text) - chars))
    return text[start : start + chars]


def _insert_pieces(pieces: Sequence[str], host: str) -> str:
    """Return a host text with the pieces inserted at equal distances."""
    gap = len(host) // (len(pieces) + 1)
    parts = [host[number * gap : (number + 1) * gap] + piece for number, piece in enumerate(pieces)]
    return "".join(parts) + host[len(pieces) * gap :]


def _pages_with_stubs(
    passages: Sequence[Passage], around: Surroundings, *, seed: int
) -> Iterator[LabelledPage]:
    """Yield pages of another work that contain a whole short passage."""
    kind = "a stub in a page"
    for passage in passages:
        if len(passage.text) < STUB_CHARS and passage.source.kind == "novel":
            copy_section = partial(copy_into_host, chars=STUB_CHARS)
            yield LabelledPage(
                kind, copy_section(passage.text, _make_random(kind, passage, seed), around).text
            )


def _make_random(kind: str, passage: Passage, seed: int) -> Random:
    return generator(kind, document=passage.source.name, seed=seed)


def verdicts_table(outcomes: Sequence[Outcome]) -> Table:
    """Return a table of the verdicts of each kind before and after, and of the changes."""
    by_kind: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        by_kind.setdefault(outcome.kind, []).append(outcome)
    head = ("page", "pages", "before", "after", "changed")
    return Table("Verdicts before and after", head, tuple(map(_table_row, by_kind.values())))


def _table_row(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    before, after = Counter[Verdict](), Counter[Verdict]()
    for outcome in outcomes:
        before[outcome.before] += outcome.pages
        after[outcome.after] += outcome.pages
    changed = [
        f"{outcome.before} → {outcome.after}: {outcome.pages}"
        for outcome in outcomes
        if outcome.before != outcome.after
    ]
    return (
        outcomes[0].kind,
        str(before.total()),
        _format_counts(before),
        _format_counts(after),
        "; ".join(changed) or "–",
    )


def _format_counts(verdicts: Counter[Verdict]) -> str:
    return ", ".join(f"{verdict} {verdicts[verdict]}" for verdict in VERDICTS if verdicts[verdict])
