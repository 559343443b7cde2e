"""Set wording: official texts that share formulas only, and real reuse of the same texts.

The mother corpus is the official works of the shared data: notices or regulations. Pages that copy nothing
are other official texts, and works of the corpus that are hidden from the comparison, so that each is
compared with all others. Pages that reuse a work contain all of it or a section. No parameter was chosen on
the *unseen* half of the names, and the background model did not learn from its works.

Some pages of the clean kinds do reuse provisions of other texts, so an accusation may be right. The second
table lists the accusations for a person to check.
"""

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from support.changed.changes import Surroundings, changed_text, generator
from support.changed.corpora import SHARED, texts_of
from support.changed.hard_changes import HARD_KINDS
from support.changed.texts import Passage, Text, is_in_second_half, stable

from benchmarks.report import Table, wilson
from benchmarks.tracker_search import FullComparison
from storage.records import LEADS, TAKEN, VERDICTS, Verdict, Work
from tracker.comparison import ComparedText, Corpus, compare
from tracker.comparison.passages import MotherPassage, PassageReader

_PAGE_CHARS = 3000
_WORKS = 60  # of each kind and half that are chosen about
_NOISE = "noise 40 %"
_SECTIONS = (500, 200)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordingQuestion:
    """A page to compare.

    Attributes:
        kind: of page.
        name: of the page.
        text: the page.
        hidden: id of a passage that the comparison does not see; 0: it sees all.
    """

    kind: str
    name: str
    text: str
    hidden: int = 0

    @property
    def half(self) -> str:
        """The half of the names that it belongs to."""
        return "unseen" if is_in_second_half(self.name) else "seen"


@dataclass(frozen=True, slots=True, kw_only=True)
class WordingAnswer:
    """The result of a comparison.

    Attributes:
        ms: processor time.
        matches: that are listed.
        left_out: candidates that were not aligned, or only in part.
        gravest: title of the work with the gravest match, its verdict, its copied characters.
    """

    kind: str
    half: str
    name: str
    verdict: Verdict
    ms: float
    matches: int
    left_out: int
    gravest: tuple[str, str, int] = ("", "", 0)


@dataclass(frozen=True, slots=True)
class _PassageFilter:
    """A reader of passages that does not see one of them."""

    passages: PassageReader
    hidden: int

    def read(self, passage_ids: Iterable[int]) -> Mapping[int, MotherPassage]:
        """Return passages by their ids."""
        return self.passages.read(number for number in passage_ids if number != self.hidden)

    def works_of(self, passage_ids: Iterable[int]) -> Mapping[int, Work]:
        """Return the works of passages by their ids."""
        return self.passages.works_of(passage_ids)


def measure(folder: Path = SHARED) -> Iterator[WordingAnswer]:
    """Yield the answers, kind by kind.

    Raises:
        OSError: the shared data are missing.
    """
    works = _read_rows(folder / "set-wording" / "works.jsonl")
    pages = _read_rows(folder / "set-wording" / "pages.jsonl")
    news = [text for text in texts_of(folder / "distractors") if text.kind == "news"]
    for kind, prefix in (("notice", "notice"), ("regulation", "law")):
        of_kind = [row for row in works if row["title"].startswith("gov_") == (kind == "notice")]
        passages = [
            Passage(
                number,
                Text(work=row["title"], ordinal=number, kind="news", title=row["title"], text=row["text"]),
            )
            for number, row in enumerate(of_kind, 1)
        ]
        checker = FullComparison()
        checker.add(passages)
        other = [row for row in pages if row["id"].startswith(prefix)]
        compare(ComparedText(other[0]["text"]), checker.corpus)  # warm-up
        for question in _questions(kind, passages, other, news):
            yield _compare_page(question, checker.corpus)


def _read_rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _questions(
    kind: str, passages: Sequence[Passage], pages: Sequence[Mapping[str, str]], news: Sequence[Text]
) -> Iterator[WordingQuestion]:
    """Yield the questions about notices or regulations."""
    for row in pages:
        yield WordingQuestion(kind=f"other {kind}", name=row["id"], text=row["text"])
    drawn = sorted(passages, key=lambda passage: stable(f"wording {passage.source.work}"))
    chosen = [
        passage
        for half in (False, True)
        for passage in [passage for passage in drawn if is_in_second_half(passage.source.work) == half][
            :_WORKS
        ]
    ]
    for passage in chosen:
        text = passage.text[:_PAGE_CHARS]
        yield WordingQuestion(
            kind=f"{kind} of the corpus, hidden", name=passage.source.work, text=text, hidden=passage.id
        )
    around = Surroundings(pool=news[0].text, hosts=())
    for passage in chosen:
        name = passage.source.work
        text = passage.text[:_PAGE_CHARS]
        yield WordingQuestion(kind=f"whole {kind}", name=name, text=text)
        noisy = changed_text(text, _NOISE, document=name, seed=1, around=around, kinds=HARD_KINDS)
        yield WordingQuestion(kind=f"whole {kind}, {_NOISE}", name=name, text=noisy)
        for chars in _SECTIONS:
            yield WordingQuestion(
                kind=f"{chars} characters of a {kind} in news",
                name=name,
                text=_embed_in_article(passage.text, chars, name, news),
            )
    for article in news[:100]:
        yield WordingQuestion(
            kind=f"news against each {kind}", name=article.title, text=article.text[:_PAGE_CHARS]
        )


def _embed_in_article(text: str, chars: int, name: str, news: Sequence[Text]) -> str:
    """Return an article with a section of a text in it."""
    chance = generator(f"section {chars}", document=name, seed=1)
    host = chance.choice(news).text[:2000]
    start = chance.randrange(max(1, len(text) - chars))
    middle = len(host) // 2
    return host[:middle] + text[start : start + chars] + host[middle:]


def _compare_page(question: WordingQuestion, corpus: Corpus) -> WordingAnswer:
    if question.hidden:
        corpus = replace(corpus, passages=_PassageFilter(corpus.passages, question.hidden))  # type: ignore[arg-type]
    started = time.process_time()
    result = compare(ComparedText(question.text), corpus)
    ms = 1000 * (time.process_time() - started)
    gravest = min(result.matches, key=lambda match: VERDICTS.index(match.verdict), default=None)
    return WordingAnswer(
        kind=question.kind,
        half=question.half,
        name=question.name,
        verdict=result.verdict,
        ms=ms,
        matches=len(result.matches),
        left_out=result.dropped,
        gravest=("", "", 0)
        if gravest is None
        else (gravest.work.title, gravest.verdict, gravest.copied_chars),
    )


def wording_tables(answers: Sequence[WordingAnswer]) -> list[Table]:
    """Return the verdicts of each kind and half, and the accused pages of the clean kinds."""
    head = (
        "page",
        "half",
        "n",
        "accused",
        "found",
        "verdicts",
        "ms a page",
        "slowest",
        "most matches",
        "left out",
    )
    ordered = sorted(answers, key=_group_key)
    rows = tuple(_table_row(*group, list(same)) for group, same in groupby(ordered, key=_group_key))
    accused = tuple(
        (answer.kind, answer.half, answer.name, answer.verdict, *map(str, answer.gravest))
        for answer in ordered
        if answer.verdict in LEADS and answer.kind.startswith(("other", "notice of", "regulation of"))
    )
    names = ("page", "half", "name", "verdict", "work", "match", "characters")
    return [Table("Set wording", head, rows), Table("Accused official texts", names, accused)]


def _group_key(answer: WordingAnswer) -> tuple[str, str]:
    return answer.kind, answer.half


def _table_row(kind: str, half: str, answers: Sequence[WordingAnswer]) -> tuple[str, ...]:
    verdicts = Counter(answer.verdict for answer in answers)
    accused, reported = (sum(verdicts[verdict] for verdict in group) for group in (LEADS, TAKEN))
    return (
        kind,
        half,
        str(len(answers)),
        _format_share(accused, len(answers)),
        _format_share(reported, len(answers)),
        ", ".join(f"{verdict} {verdicts[verdict]}" for verdict in VERDICTS if verdicts[verdict]),
        f"{sum(answer.ms for answer in answers) / len(answers):.0f}",
        f"{max(answer.ms for answer in answers):.0f}",
        str(max(answer.matches for answer in answers)),
        f"{sum(answer.left_out for answer in answers) / len(answers):.0f}",
    )


def _format_share(count: int, total: int) -> str:
    low, high = wilson(count, total)
    return f"{count} ({low:.2f}–{high:.2f})"
