"""Comparison of one page with the mother corpus, in three stages.

1. :mod:`tracker.comparison.reading` puts article and rest into reading order and finds the passages that may
   be in them (:class:`ReadPage`);
2. :mod:`tracker.comparison.aligning` finds the shared stretches (:class:`Alignments`);
3. :mod:`tracker.comparison.judged` gives the verdicts (:class:`Judgement`).

Stored pages (Redis and MongoDB) and ``pindna check`` (the same, or a folder in memory) use this path.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from storage.records import UNCOUNTED, VERDICTS, Background, Decision, Verdict, gravest, meaning_of
from tracker.alignment.text import ComparedText
from tracker.comparison.aligning import Alignments, align_text
from tracker.comparison.corpus import Corpus
from tracker.comparison.judged import Judgement, judge_article, judge_rest
from tracker.comparison.matching import Candidates
from tracker.comparison.reading import read_texts
from tracker.comparison.rest import MIN_LETTERS, RestText
from tracker.judgement.licences import Facts
from tracker.judgement.match import PassageMatch
from tracker.judgement.parts import PartVerdicts

_NOTHING = Judgement()


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The result of comparing a page with the whole mother corpus.

    Attributes:
        chars: characters of the article.
        verdict: the gravest verdict on a work, whose passages count together. It is graver if the copies from
            several works together justify that, or if the rest has a graver verdict. ``common`` if no work
            has
            a verdict and more than a phrase of the article is in background texts.
        coverage: share of the article covered by stretches that count.
        copied_chars: characters of the article that these stretches cover.
        matches: of article and rest, by copied characters, most first.
        dropped: candidates beyond the limit, not aligned or only in part.
        capped: looked-up hashes with more postings than the index returns.
        background: stretches shared with background texts, most first, the article's before the rest's.
        rest_verdict: the gravest verdict on a match in the rest; ``clear`` without any.
        rest_chars: characters of the rest that was compared.
        is_doubtful: the verdict of the page comes from the rest alone, so a person must review it.
        taking_part: ids of the passages that influenced the result: the page shares a stretch with them, or
            they contain one of its set phrases.
        decisions: the decisions on these passages that were used, by SHA-256 of the passage.
    """

    chars: int
    verdict: Verdict
    coverage: float
    copied_chars: int
    low_confidence: bool
    matches: tuple[PassageMatch, ...]
    dropped: int
    capped: int
    background: tuple[Background, ...] = ()
    rest_verdict: Verdict = "clear"
    rest_chars: int = 0
    is_doubtful: bool = False
    taking_part: frozenset[int] = frozenset()
    decisions: Mapping[str, Sequence[Decision]] = field(default_factory=dict)

    @property
    def verdicts(self) -> frozenset[Verdict]:
        """The verdict on the page; for a retelling, also the verdicts on its matches."""
        if meaning_of(self.verdict).is_verbatim:
            return frozenset({self.verdict})
        return frozenset({self.verdict, *(match.verdict for match in self.matches if match.counts)})

    @property
    def is_joint(self) -> bool:
        """Whether the verdict is graver than that on any match alone: the copies were judged together."""
        alone = gravest(match.verdict for match in self.matches if match.counts or match.verdict in UNCOUNTED)
        if self.verdict in UNCOUNTED:  # ``common`` comes from background texts
            return False
        return VERDICTS.index(self.verdict) < VERDICTS.index(alone)


def compare(
    page: ComparedText,
    corpus: Corpus,
    *,
    site: str = "",
    facts: Facts | None = None,
    candidates: Candidates | None = None,
    rest: RestText | None = None,
) -> Comparison:
    """Compare a page with the mother corpus.

    Args:
        page: the text of the page's article; it may be empty.
        corpus: the corpus to compare with.
        site: of the page, for licences and decisions.
        facts: further facts about the page; overrides ``site``.
        candidates: from :func:`tracker.comparison.matching.look_up` with the article's Han letters; None:
            look
            them up now.
        rest: the page's other text; None: there is none.
    """
    facts = facts or Facts(site=site)
    of_article, of_rest = read_texts(page, rest, corpus, candidates=candidates)
    article = align_text(of_article, corpus)
    judgement = judge_article(article, corpus, facts)
    if rest is None or of_rest is None:
        return _concluded(page, article, judgement)
    outside = align_text(of_rest, corpus, reported=article.alignments, min_letters=MIN_LETTERS)
    doubtful = judge_rest(outside, corpus, facts, article=page.text, pieces=rest.pieces)
    return _concluded(page, article, judgement, outside=outside, doubtful=doubtful)


def _concluded(
    page: ComparedText,
    article: Alignments,
    judgement: Judgement,
    *,
    outside: Alignments | None = None,
    doubtful: Judgement = _NOTHING,
) -> Comparison:
    """Combine the results of article and rest: the page has the graver verdict."""
    texts = [article] if outside is None else [article, outside]
    verdicts = PartVerdicts(judgement.verdict, doubtful.verdict)
    chars = len(article.read.text.text)
    return Comparison(
        chars=len(page.text),
        verdict=verdicts.page,
        coverage=round(judgement.copied_chars / chars, 4) if chars else 0.0,
        copied_chars=judgement.copied_chars,
        low_confidence=(judgement if page.text or outside is None else doubtful).is_short,
        matches=tuple(sorted((*judgement.matches, *doubtful.matches), key=_copied_most_key)),
        dropped=sum(text.dropped for text in texts),
        capped=sum(text.read.candidates.capped for text in texts),
        background=(*judgement.background, *doubtful.background),
        rest_verdict=verdicts.rest,
        rest_chars=len(outside.read.text.text) if outside is not None else 0,
        is_doubtful=verdicts.is_doubtful,
        taking_part=frozenset().union(*(text.taking_part for text in texts)),
        decisions={**judgement.decisions, **doubtful.decisions},
    )


def _copied_most_key(match: PassageMatch) -> tuple[int, int, str]:
    return -match.copied_chars, match.passage.id, match.part
