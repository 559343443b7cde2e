"""Asking the index about many pages at once: a worker's batch is one round trip."""

from collections.abc import Sequence

from fingerprint.text.letters import to_letters
from tracker.comparison.corpus import Corpus
from tracker.comparison.matching import Candidates, find_candidates_many

PAGES = 100  # at once: more are hardly quicker, and their answers fill memory and wait for their comparison


def look_up(texts: Sequence[str], corpus: Corpus) -> list[Candidates]:
    """Return the candidates of each text, which :func:`tracker.comparison.compare` takes.

    Args:
        texts: of pages; a hundred at a time are best.
        corpus: what to look them up in. Read its version before: what is added meanwhile is overlooked.

    Raises:
        IndexUnusable: the index was dropped meanwhile.
        ServiceDown: Redis does not answer.
    """
    letters = [to_letters(text) for text in texts]
    return find_candidates_many(
        [corpus.methods.of_page(each) for each in letters],
        corpus.index,
        corpus.methods,
        letters=[len(each) for each in letters],
    )
