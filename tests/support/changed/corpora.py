"""The texts of a run: a mother corpus of a chosen size, questions with known answers, distractors.

From ``../shared/data`` next to the repository if it exists, else from the samples that pindna ships.

A mother corpus is a list of passages (chapters of novels, news articles) in an order that a stable hash of
their names gives: a smaller corpus is a prefix of a larger one, so the questions that are drawn from the
first passages can be asked of every size. Beyond the real texts it grows by permutations of them: the pairs
of characters of each passage in another order, which keeps a text's characters and loses its copies.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, count
from pathlib import Path
from random import Random

from support.changed import pairs
from support.changed.changes import Surroundings
from support.changed.texts import Page, Passage, Text, cut_pages, draw, read_news, read_novel, stable

QUESTION_POOL_CHARS = 1_000_000  # questions are drawn from so much of the mother corpus, whatever its size
POOL_CHARS = 100_000
HOSTS = 400

ROOT = Path(__file__).parents[3]
SHARED = ROOT.parent / "shared" / "data"
SAMPLES = ROOT / "deploy" / "samples"


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Everything that one run asks about.

    Attributes:
        source: ``shared data`` or ``samples``.
        passages: the mother corpus.
        questions: pages of it, to be changed.
        pairs: real copies by kind, see :mod:`support.changed.pairs`; empty without shared data.
        distractors: pages that copy nothing.
        around: what changes draw from: other texts.
    """

    source: str
    passages: tuple[Passage, ...]
    questions: tuple[Page, ...]
    pairs: Mapping[str, tuple[Page, ...]]
    distractors: tuple[Page, ...]
    around: Surroundings

    @property
    def chars(self) -> int:
        """Characters of the mother corpus."""
        return sum(len(passage.text) for passage in self.passages)


def load(*, chars: int, pages: int, with_pairs: bool = True, folder: Path | None = None) -> Material:
    """Return a corpus and its questions.

    Args:
        chars: characters of the mother corpus, to the passage; beyond the real texts by permutations.
        pages: most novel pages among questions, among distractors and of each real pair; half as many news.
        with_pairs: hold the works of the real pairs too, beyond ``chars``, and ask about them.
        folder: shared data or samples; found by itself when None.

    Raises:
        OSError: a file cannot be read.
        KeyError: a line of a .jsonl file lacks a title or a text.
    """
    folder = folder or (SHARED if SHARED.is_dir() else SAMPLES)
    shared = (folder / "mother").is_dir()
    mother = texts_of(folder / "mother" if shared else folder)
    others = texts_of(folder / "distractors" if shared else folder / "others")
    chosen = list(first_texts(chain(mother, _permutations(mother)), chars))
    asked = shared and with_pairs
    extra = pairs.required_passages(folder / "pairs", mother) if asked else []
    names = {text.name for text in chosen}
    passages = with_ids([*chosen, *(text for text in extra if text.name not in names)])
    first = passages[: len(list(first_texts(chosen, QUESTION_POOL_CHARS)))]
    foreign = [page for text in others for page in cut_pages(text)]
    return Material(
        source="shared data" if shared else "samples",
        passages=passages,
        questions=draw(
            (page for passage in first for page in cut_pages(passage.source, (passage.id,))), pages
        ),
        pairs=pairs.questions(folder / "pairs", passages, pages) if asked else {},
        distractors=draw(foreign, pages),
        around=Surroundings(
            pool="".join(text.text for text in first_texts(mother, POOL_CHARS)),
            hosts=tuple(page.text for page in draw(foreign, HOSTS, salt="hosts")),
        ),
    )


def first_passages(passages: Sequence[Passage], chars: int) -> tuple[Passage, ...]:
    """Return the first passages that have ``chars`` characters: a smaller corpus with the same questions."""
    held = len(list(first_texts((passage.source for passage in passages), chars)))
    return tuple(passages[:held])


@cache
def texts_of(folder: Path) -> tuple[Text, ...]:
    """Return every passage of a folder's novels and news, in the order of its name's hash.

    Raises:
        OSError: a file cannot be read.
        KeyError: a line of a .jsonl file lacks a title or a text.
    """
    novels = sorted((folder / "novels").glob("*.txt")) or sorted(folder.glob("*.txt"))
    news = [path for path in (folder / "news" / "articles.jsonl", folder / "news.jsonl") if path.is_file()]
    texts = [*chain.from_iterable(map(read_novel, novels)), *chain.from_iterable(map(read_news, news))]
    return tuple(sorted(texts, key=lambda text: stable(text.name)))


def first_texts(texts: Iterable[Text], chars: int) -> Iterator[Text]:
    """Yield texts until they have ``chars`` characters, the last one whole."""
    total = 0
    for text in texts:
        if total >= chars:
            return
        total += len(text.text)
        yield text


def _permutations(mother: Sequence[Text]) -> Iterator[Text]:
    """Yield the corpus again and again, the pairs of characters of each passage in another order."""
    for number in count(1):
        for text in mother:
            parts = [text.text[a : a + 2] for a in range(0, len(text.text), 2)]
            Random(int.from_bytes(stable(f"{number} {text.name}"))).shuffle(parts)
            yield Text(
                work=f"{text.work} ({number})",
                ordinal=text.ordinal,
                kind=text.kind,
                title=text.title,
                text="".join(parts),
            )


def with_ids(texts: Iterable[Text]) -> tuple[Passage, ...]:
    """Return texts as the passages of a mother corpus, numbered in their order."""
    return tuple(Passage(number, text) for number, text in enumerate(texts, 1))
