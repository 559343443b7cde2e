"""The text of a page: the chosen lines without text that the author did not write. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crawler.extraction.cleaning import CleanedLines, clean
from crawler.extraction.open_page import OpenPage
from crawler.extraction.parsing import visible_chars
from crawler.extraction.repeats import without_repeats
from crawler.extraction.short_texts import is_text


@dataclass(frozen=True, slots=True)
class Article:
    """A page's text, and the parts that were left out.

    Attributes:
        raw: lines of the article before any cleaning.
        sections: lines of the text: one section for each post, otherwise a single one.
        repeated: sentences that were left out because the site repeats them.
        whole: the text including these sentences.
        dropped: reason → number of characters that cleaning removed.
    """

    raw: tuple[str, ...]
    sections: tuple[tuple[str, ...], ...]
    repeated: tuple[str, ...]
    whole: str
    dropped: Mapping[str, int]

    @property
    def text(self) -> str:
        """Return the text as one string, a line of the page on each line."""
        return "\n".join(line for section in self.sections for line in section)


def article_of(page: OpenPage, sections: Sequence[Sequence[str]]) -> Article:
    """Return the text of the lines without text that the author did not write."""
    parts = [_without_additions(page, lines, page.context.repeated) for lines in sections]
    if page.context.repeated and not is_text(
        "\n".join(article.text for article in parts)
    ):  # a page never loses its whole text
        parts = [_without_additions(page, lines, frozenset()) for lines in sections]
    dropped = Counter[str]()
    for article in parts:
        dropped.update(article.dropped)
    return Article(
        raw=tuple(line for article in parts for line in article.raw),
        sections=tuple(section for article in parts for section in article.sections),
        repeated=tuple(sentence for article in parts for sentence in article.repeated),
        whole="\n".join(article.whole for article in parts if article.whole),
        dropped=dropped,
    )


def _without_additions(page: OpenPage, raw: Sequence[str], repeated_hashes: frozenset[int]) -> Article:
    """Return one section of a text without slogans, adverts and sentences that the site repeats."""
    steps = page.steps
    cleaned = steps.attempt("cleaning", lambda: clean(raw), otherwise=CleanedLines(tuple(raw), {}))
    lines, repeated = steps.attempt(
        "repeats",
        lambda: without_repeats(cleaned.lines, repeated_hashes),
        otherwise=(list(cleaned.lines), list[str]()),
    )
    whole = without_repeats(cleaned.lines, ())[0] if repeated else lines
    return Article(tuple(raw), (tuple(lines),), tuple(repeated), "\n".join(whole), cleaned.dropped)


def drop_counts(page: OpenPage, article: Article) -> dict[str, int]:
    """Return reason → number of dropped characters; ``outside`` counts text that no step dropped."""
    reasons = {**article.dropped, "repeated": sum(map(visible_chars, article.repeated))}
    outside = page.outline.chars - visible_chars(article.text) - sum(reasons.values())
    reasons |= {"hidden": page.hidden.chars, "outside": outside}
    return {reason: count for reason, count in reasons.items() if count > 0}
