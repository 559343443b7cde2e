"""How many unrelated texts share each letter of a page, by the alignments and the look-up of phrases."""

from collections.abc import Mapping, Sequence

from storage.records import WorkKind
from tracker.alignment.text import ComparedText
from tracker.comparison.phrases import Holding
from tracker.judgement.match import PassageAlignment
from tracker.judgement.profiles import Profile
from tracker.judgement.related import Depth, depth, families, same_texts

_TEXTS = 32  # of one page, compared with each other


def holdings_of(alignments: Sequence[PassageAlignment]) -> list[Holding]:
    """Return each stretch that alignment confirmed with who holds it."""
    return [
        Holding(alignment.work, alignment.passage, aligned.letters)
        for alignment in alignments
        for aligned in alignment.aligned
    ]


def sharing(page: ComparedText, holdings: Sequence[Holding], profiles: Mapping[WorkKind, Profile]) -> Depth:
    """Return how many unrelated texts share each letter of a page.

    Which of them are one text is found out only where so many works share a short stretch that it matters.

    Args:
        page: the page.
        holdings: who holds which letters.
        profiles: by the kind of work.
    """
    letters = len(page.letters)
    shared = [(holding.work.id, holding.letters) for holding in holdings]
    works = {holding.work.id: holding.work for holding in holdings}.values()
    by_title = depth(letters, shared, families(works))
    few = min(profile.common_works for profile in profiles.values())
    if not letters or by_title.max() < few:
        return by_title
    short = max(profile.common_chars for profile in profiles.values())
    doubtful = {
        holding.passage.id: (holding.work.id, holding.passage.text)
        for holding in holdings
        if holding.letters[1] - holding.letters[0] < short and by_title[slice(*holding.letters)].max() >= few
    }
    same = same_texts(list(doubtful.values())[:_TEXTS])
    return depth(letters, shared, families(works, same=same)) if same else by_title
