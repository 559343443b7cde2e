"""Common text: how many unrelated texts share each extent of a page, by alignments and look-ups."""

from collections.abc import Mapping, Sequence

from storage.records import WorkKind
from tracker.alignment.text import ComparedText
from tracker.comparison.phrases import PhraseHolding
from tracker.judgement.alignments import PassageAlignment, Sharing
from tracker.judgement.match import mask
from tracker.judgement.profiles import Profile
from tracker.judgement.related import Depth, depth, families, same_texts
from tracker.judgement.verdict import Extent

_TEXTS = 32  # maximum number of texts per page that are compared with each other


def holdings_of(alignments: Sequence[PassageAlignment]) -> list[PhraseHolding]:
    """Return each confirmed stretch with the passage that contains it."""
    return [
        PhraseHolding(alignment.work, alignment.passage, aligned.letters)
        for alignment in alignments
        for aligned in alignment.aligned
    ]


def sharing_of(
    page: ComparedText, alignments: Sequence[PassageAlignment], profiles: Mapping[WorkKind, Profile]
) -> Sharing:
    """Return which extents of a page are common, by the confirmed alignments.

    Args:
        page: the page.
        alignments: of works that have an owner.
        profiles: by the kind of work.
    """
    depth = depth_of(page, holdings_of(alignments), profiles)
    return Sharing(depth, _taken_whole(alignments, profiles))


def _taken_whole(
    alignments: Sequence[PassageAlignment], profiles: Mapping[WorkKind, Profile]
) -> frozenset[int]:
    """Return the ids of passages that are practically complete on a page; none of their text is common.

    Other texts may quote a short work completely; that does not make it theirs.
    """
    taken = [(alignment, profiles[alignment.work.kind]) for alignment in alignments if alignment.aligned]
    return frozenset(
        alignment.passage.id
        for alignment, profile in taken
        if _share_taken(alignment, profile) >= profile.common_passage_coverage
    )


def _share_taken(alignment: PassageAlignment, profile: Profile) -> float:
    """Return the share of a passage whose characters are identical on the page.

    Between two filled copies of a template, names differ.
    """
    passage_chars = len(alignment.passage.text)
    there = mask((aligned.span for aligned in alignment.aligned), passage_chars, passage=True).sum()
    same = sum(aligned.same_character for aligned in alignment.aligned)
    columns = sum(aligned.columns for aligned in alignment.aligned)
    extent = Extent(
        page_chars=0,
        copied_chars=0,
        taken_chars=int(there * same / columns),
        passage_chars=passage_chars,
        work_chars=alignment.work.characters,
    )
    return extent.share_taken(profile.stub_chars)


def depth_of(
    page: ComparedText, holdings: Sequence[PhraseHolding], profiles: Mapping[WorkKind, Profile]
) -> Depth:
    """Return how many unrelated texts share each letter of a page.

    Related texts are detected only where enough works share a short stretch to affect the result.

    Args:
        page: the page.
        holdings: which passage contains which letters.
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
