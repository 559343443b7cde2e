"""The sample texts: protected works under ``novels/`` and in ``news.jsonl``, others under ``others/``.

Every text has one paragraph in each line, without indentation.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SAMPLES = Path(__file__).parent.parent / "samples"
MOTHER_CORPUS = (*sorted((SAMPLES / "novels").glob("*.txt")), SAMPLES / "news.jsonl")
_HEADING = re.compile(r"第\S{1,4}[章回节][\s　]")


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample text: a chapter or an article.

    Attributes:
        ref: how the plan names it, such as ``青灯渡:3`` or ``news:1``; counted from 1.
        work: title of the work.
        title: the chapter's heading or the article's title.
        protected: it belongs to the mother corpus.
    """

    ref: str
    work: str
    title: str
    author: str
    text: str
    protected: bool


def load_samples(folder: Path = SAMPLES) -> dict[str, Sample]:
    """Return every sample text by its reference.

    Raises:
        OSError: a file is missing.
    """
    samples = (
        *_articles(folder / "news.jsonl", "news", protected=True),
        *_articles(folder / "others" / "news.jsonl", "other-news", protected=False),
        *(
            sample
            for path in sorted((folder / "novels").glob("*.txt"))
            for sample in _novel(path, protected=True)
        ),
        *(
            sample
            for path in sorted((folder / "others").glob("*.txt"))
            for sample in _novel(path, protected=False)
        ),
    )
    return {sample.ref: sample for sample in samples}


def _articles(path: Path, name: str, *, protected: bool) -> Iterator[Sample]:
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        article = json.loads(line)
        text = _paragraphs(article["text"].split("\n"))
        title = article["title"]
        yield Sample(f"{name}:{number}", title, title, article["author"], text, protected)


def _novel(path: Path, *, protected: bool) -> Iterator[Sample]:
    title, author, *lines = path.read_text("utf-8").splitlines()
    starts = [index for index, line in enumerate(lines) if _HEADING.match(line)]
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], None], strict=True), start=1):
        text = _paragraphs(lines[start + 1 : end])
        heading = lines[start].strip()
        yield Sample(f"{title}:{number}", title, heading, author.removeprefix("作者："), text, protected)


def _paragraphs(lines: list[str]) -> str:
    return "\n".join(filter(None, (line.strip() for line in lines)))
