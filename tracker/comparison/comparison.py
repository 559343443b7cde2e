"""Comparing one page with the mother corpus, in three stages.

1. :mod:`tracker.comparison.reading`: article and rest in the order they are read, and the passages that may
   be in them (:class:`ReadPage`);
2. :mod:`tracker.comparison.aligning`: what they share with these passages (:class:`Alignments`);
3. :mod:`tracker.comparison.judged`: what that amounts to (:class:`Judgement`).

The same path serves stored pages (Redis and MongoDB) and ``pindna check`` (either, or a folder in memory).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from storage.records import VERDICTS, Background, Decision, Verdict, gravest
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
    """A page against the whole mother corpus.

    Attributes:
        chars: characters of the article.
        verdict: the gravest of the works' verdicts, where a work's passages count together; a graver one
            where all that is copied from several works amounts to it, or where the rest has a graver one;
            ``common`` where no work has any and more than a phrase of the article is in background texts.
        coverage: share of the article covered by stretches that count.
        copied_chars: characters of the article that they cover.
        matches: of article and rest, by copied characters, most first.
        dropped: candidates beyond the limit that were not aligned, or not in all their pieces.
        capped: looked-up hashes with more postings than the index returns.
        background: what the page shares with background texts, most first, the article's before the rest's.
        rest_verdict: the gravest verdict on a match in the rest; ``clear`` without any.
        rest_chars: characters of the rest that was compared.
        is_doubtful: the page has its verdict from the rest alone, so a person must look.
        taking_part: ids of the passages that had a say in all this: the page shares a stretch with them, or
            they hold one of its set phrases.
        decisions: that were known of its passages, by their SHA-256.
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
    def is_joint(self) -> bool:
        """Whether no match alone has so grave a verdict: what is copied was judged together."""
        alone = gravest(match.verdict for match in self.matches if match.counts or match.verdict == "common")
        if self.verdict == "common":  # of background texts
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
        corpus: what to compare with.
        site: of the page, for licences and decisions.
        facts: more that is known of the page; goes over ``site``.
        candidates: those that the article's Han letters led to, from
            :func:`tracker.comparison.matching.look_up`; None: they are looked up now.
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
    """Return what article and rest come to together: the page has the graver verdict."""
    texts = [article] if outside is None else [article, outside]
    verdicts = PartVerdicts(judgement.verdict, doubtful.verdict)
    chars = len(article.read.text.text)
    return Comparison(
        chars=len(page.text),
        verdict=verdicts.page,
        coverage=round(judgement.copied_chars / chars, 4) if chars else 0.0,
        copied_chars=judgement.copied_chars,
        low_confidence=(judgement if page.text or outside is None else doubtful).is_short,
        matches=tuple(sorted((*judgement.matches, *doubtful.matches), key=_most_copied)),
        dropped=sum(text.dropped for text in texts),
        capped=sum(text.read.candidates.capped for text in texts),
        background=(*judgement.background, *doubtful.background),
        rest_verdict=verdicts.rest,
        rest_chars=len(outside.read.text.text) if outside is not None else 0,
        is_doubtful=verdicts.is_doubtful,
        taking_part=frozenset().union(*(text.taking_part for text in texts)),
        decisions={**judgement.decisions, **doubtful.decisions},
    )


def _most_copied(match: PassageMatch) -> tuple[int, int, str]:
    return -match.copied_chars, match.passage.id, match.part
