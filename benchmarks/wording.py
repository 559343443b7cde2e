"""Set wording: official texts that share only formulas with the corpus, and pages that reuse its texts.

The mother corpus consists of the official works of the shared data: either notices or regulations. Pages that
copy nothing are other official texts. Works of the corpus are such pages too: each is hidden from the
comparison and compared with all other works. Pages that reuse a work contain a whole work or a section of it.
No parameter was chosen with works of the *unseen* half, and the background model did not learn from them.

Some pages that should copy nothing do reuse provisions of other texts, so an accusation may be right. The
second table lists the accusations, so that a person can check them.

Retellings are passages in classical Chinese with their modern translation, in both directions: same content,
other words. No parameter of :mod:`tracker.judgement.rewording` was chosen on the unseen half.

Reprints are pairs of articles of two publishers. The page is the longer one; the answer is the verdict on the
shorter one, which the page also contains.
"""

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

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
_WORKS = 60  # maximum number of works of each kind and half
_NOISE = "noise 40 %"
_SECTIONS = (500, 200)
_CLEAN = ("other", "notice of", "regulation of", "modern translation", "classical original")


@dataclass(frozen=True, slots=True, kw_only=True)
class WordingQuestion:
    """A page to compare.

    Attributes:
        kind: kind of page.
        name: name of the page or of its work.
        text: text of the page.
        hidden: id of the passage that is hidden from the comparison; 0 if none is hidden.
    """

    kind: str
    name: str
    text: str
    hidden: int = 0

    @property
    def half(self) -> str:
        """The half of the pages that this page belongs to, by its name."""
        return "unseen" if is_in_second_half(self.name) else "seen"


@dataclass(frozen=True, slots=True, kw_only=True)
class WordingAnswer:
    """The result of a comparison.

    Attributes:
        ms: processor time in milliseconds.
        matches: number of reported matches.
        left_out: number of candidates that were not aligned, or only in part.
        gravest: the gravest match: title of its work, its verdict, and its number of copied characters.
        verdicts: title of a work → the gravest verdict on its matches.
    """

    kind: str
    half: str
    name: str
    verdict: Verdict
    ms: float
    matches: int
    left_out: int
    gravest: tuple[str, str, int] = ("", "", 0)
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _PassageFilter:
    """A reader of passages that hides one passage."""

    passages: PassageReader
    hidden: int

    def read(self, passage_ids: Iterable[int]) -> Mapping[int, MotherPassage]:
        """Return id → passage, without the hidden passage."""
        return self.passages.read(number for number in passage_ids if number != self.hidden)

    def works_of(self, passage_ids: Iterable[int]) -> Mapping[int, Work]:
        """Return passage id → work."""
        return self.passages.works_of(passage_ids)


def measure(folder: Path = SHARED) -> Iterator[WordingAnswer]:
    """Compare all pages, and yield the results, sorted by kind of corpus.

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
    yield from _retellings(_read_rows(folder / "retellings" / "pairs.jsonl"))
    yield from _reprints(_read_rows(folder / "pairs" / "reprints" / "pairs.jsonl"))


def _retellings(pairs: Sequence[Mapping[str, str]]) -> Iterator[WordingAnswer]:
    """Yield the answers about texts that retell a work of the corpus."""
    for kind, work, page in (
        ("modern translation", "classical", "modern"),
        ("classical original", "modern", "classical"),
    ):
        checker = FullComparison()
        checker.add(
            Passage(number, Text(work=row["title"], ordinal=number, kind="novel", title="", text=row[work]))
            for number, row in enumerate(pairs, 1)
        )
        for row in pairs:
            yield _compare_page(WordingQuestion(kind=kind, name=row["title"], text=row[page]), checker.corpus)


def _reprints(pairs: Sequence[Mapping[str, Mapping[str, str]]]) -> Iterator[WordingAnswer]:
    """Yield the verdict on the shorter of two articles in the corpus, if the page is the longer one."""
    texts = [row[name]["text"] for row in pairs for name in ("a", "b")]
    checker = FullComparison()
    checker.add(
        Passage(number, Text(work=f"article {number}", ordinal=number, kind="news", title="", text=text))
        for number, text in enumerate(texts, 1)
    )
    for number, row in enumerate(pairs):
        shorter, longer = sorted((2 * number, 2 * number + 1), key=lambda article: len(texts[article]))
        kind = "shorter article of a reprint"
        name = f"{number} {row['a']['title']}"
        answer = _compare_page(WordingQuestion(kind=kind, name=name, text=texts[longer]), checker.corpus)
        yield replace(answer, verdict=answer.verdicts.get(f"article {shorter + 1}", "clear"))


def _read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _questions(
    kind: str, passages: Sequence[Passage], pages: Sequence[Mapping[str, str]], news: Sequence[Text]
) -> Iterator[WordingQuestion]:
    """Yield the pages to compare with a corpus of notices or of regulations."""
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
    """Return a random news article with a random section of a text inserted in its middle."""
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
        verdicts={match.work.title: match.verdict for match in result.matches},
    )


def wording_tables(answers: Sequence[WordingAnswer]) -> list[Table]:
    """Return a table of the verdicts by kind and half, and a table of the accused pages that copy nothing."""
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
        if answer.verdict in LEADS and answer.kind.startswith(_CLEAN)
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
