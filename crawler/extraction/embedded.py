"""Articles in scripts, templates, text areas and hidden data of a page. Pure.

Some sites send the article as JSON for a script, in a template, a text area, a ``noscript`` element, a hidden
element or an attribute. It may be whole, encoded, or one string for each paragraph. These places are searched
if the page shows few sentences, or many sentences without its title and without the text of its description.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from html import unescape

from crawler.extraction.block import Block
from crawler.extraction.encoded_data import decode_data
from crawler.extraction.json_answers import title_in
from crawler.extraction.kept_results import keep_by_text
from crawler.extraction.outline import Outline, line_of
from crawler.extraction.pagekind import is_summaries
from crawler.extraction.paragraphs import BLOCK_TAG, paragraph_texts
from crawler.extraction.parsing import Tree, content_lines, count_chars, lines_of, parse
from crawler.extraction.script_strings import LITERAL, content_of, has_content, unescape_literal
from crawler.extraction.title_lines import description_grams, squeeze
from fingerprint.text.han import HAN

_LONG_ATTRIBUTES = (
    "//@*[string-length() >= 500][name() = 'value' or starts-with(name(), 'data-')"
    " or starts-with(name(), ':') or starts-with(name(), 'v-')]"
)
_DATA = re.compile(r"\s*[\[{]")
_MIN_CHARS = 100  # minimum characters of a string
_MAX_NESTED = 3  # maximum depth of data inside strings
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>|&(?:[a-z]+|#\d+);")
# Limits for the characters of sentences that a page shows.
_MIN_SHOWN = 100
_MAX_BLURB = 250
_MAX_SHOWN = 500
_OPENING = 30  # number of first characters of the page's text that the data must contain
_MIN_FACTOR = 2  # the data are at least this many times as long as the page's text
_MIN_OTHER_FACTOR = 10  # minimum factor if the data contain nothing of the page's text
_MIN_SHARE = 0.5  # minimum length of the data, relative to all sentences of a page without a text
_MIN_DESCRIBED_FACTOR = 1.5  # a text is at least this many times as long as its description
_MIN_TITLE = 5
_QUESTION_MARKS = ("？", "?")
_ESCAPED = "%"  # first character of a script that is only percent-encoded data
_MAY_BE_TEXT = re.compile(f"[{HAN}]|&#")
_HAN = re.compile(f"[{HAN}\u3000-\u303f\uff00-\uffef“”‘’…—]+")
_MIN_SENTENCE_CHARS = 100  # minimum characters of sentences
_MAX_CHARS = 2_000_000  # maximum characters of one script
_MAX_TEXTS = 100  # maximum number of texts that are read, the longest first


@dataclass(frozen=True, slots=True)
class EmbeddedText:
    """A text in a page's data.

    Attributes:
        lines: its lines.
        prose: characters of Chinese sentences in it.
        is_described: it contains the text of the page's description.
        is_named: the same data contain the page's title.
        is_added: the page shows another text below its title, which this text does not replace.
        data: the script that contains it; empty if it is in another place.
    """

    lines: tuple[str, ...]
    prose: int
    is_described: bool
    is_named: bool
    is_added: bool = False
    data: str = ""

    @property
    def title(self) -> str:
        """Return the title that the data have for the text, unless they contain the page's title."""
        opening = squeeze("".join(self.lines[:2]))[:_OPENING]
        return "" if self.is_named or not self.data else title_in(self.data, opening)


def hidden_article(
    tree: Tree,
    hidden: Iterable[str],
    page: Outline,
    block: Block,
    *,
    title: str = "",
    descriptions: Sequence[str] = (),
) -> EmbeddedText | None:
    """Return the article from the page's data if the page shows none of it or only a part; otherwise None.

    The article comes from the data in these cases:

    - The page has hardly a sentence.
    - The data contain the text that the page shows and much more.
    - Only the data contain the text of the page's description, or a title that the page does not show.
    - The page has few sentences and the data are many times as long; below a title, only if they contain it.

    If the page shows only summaries, the described text is used even if it is short. A long text below the
    title is kept next to the data's text, because either could be a copy. A question is kept next to its
    answers.

    Args:
        tree: the page.
        hidden: texts of elements that were removed from it.
        page: its visible lines.
        block: the article's block.
        title: title of the page.
        descriptions: from its meta elements.
    """
    grams = description_grams(descriptions, title=title)
    is_list = is_summaries(page, block)
    is_long = block.prose_chars >= _MAX_SHOWN and not is_list
    if is_long and (block.is_anchored or not grams):
        return None
    article = embedded_text(tree, hidden, title=title, descriptions=descriptions)
    if article is None:
        return None
    is_asking = title.endswith(_QUESTION_MARKS) and article.is_named
    is_beside = article.is_described if is_long and block.is_titled else is_asking
    if is_beside and not _holds_sentence(article, block):
        return replace(article, is_added=True)
    if is_long and block.is_titled:
        return None
    if is_list and (article.is_described or (article.is_named and not grams)):
        return article
    return article if _is_instead(article, page, block, is_long=is_long) else None


def _is_instead(article: EmbeddedText, page: Outline, block: Block, *, is_long: bool) -> bool:
    """Return whether data replace the little that a page shows, or a text that nothing describes."""
    if article.prose < _MIN_FACTOR * block.prose_chars:
        return False
    is_told = article.is_described or (article.is_named and not is_long and not block.is_titled)
    if is_told and not block.is_anchored:
        return True
    is_blank = block.prose_chars < _MIN_SHOWN and article.prose >= _MIN_SHARE * page.prose_chars
    return is_blank or (not is_long and _is_more(article, block))


def _holds_beginning(article: EmbeddedText, block: Block) -> bool:
    shown = squeeze("".join(line.text for line in block.lines if line.is_prose))[:_OPENING]
    return bool(shown) and shown in squeeze("".join(article.lines))


def _holds_sentence(article: EmbeddedText, block: Block) -> bool:
    text = squeeze("".join(article.lines))
    lines = (squeeze(line.text)[:_OPENING] for line in block.lines if line.is_prose)
    return any(len(line) == _OPENING and line in text for line in lines)


def _is_more(article: EmbeddedText, block: Block) -> bool:
    """Return whether the data contain the whole text of a shown beginning, or much other text."""
    if block.prose_chars == 0 or _holds_beginning(article, block):
        return block.prose_chars > 0
    is_other = article.prose >= _MIN_OTHER_FACTOR * block.prose_chars and block.prose_chars < _MAX_BLURB
    return is_other and (article.is_named or not block.is_titled)


def embedded_text(
    tree: Tree, hidden: Iterable[str] = (), *, title: str = "", descriptions: Sequence[str] = ()
) -> EmbeddedText | None:
    """Return the longest Chinese text in the page's data; described texts come first.

    Args:
        tree: the page.
        hidden: texts of elements that were removed from it.
        title: title of the page.
        descriptions: from its meta elements.
    """
    grams = description_grams(descriptions, title=title)
    min_described = _MIN_DESCRIBED_FACTOR * max(map(len, descriptions), default=0)
    chinese = (
        (text, source)
        for source in _sources(tree, hidden)
        for text in source.texts(is_question=title.endswith(_QUESTION_MARKS))
        if _MAY_BE_TEXT.search(text)
    )
    best: EmbeddedText | None = None
    for text, source in nlargest(_MAX_TEXTS, chinese, key=lambda candidate: len(candidate[0])):
        lines = _lines(text)
        prose = chinese_prose(lines)
        if prose < _MIN_SENTENCE_CHARS or (best is not None and prose <= best.prose and best.is_described):
            continue
        plain = squeeze("".join(lines)) if grams else ""
        is_described = prose >= min_described and any(gram in plain for gram in grams)
        if best is None or (is_described, prose) > (best.is_described, best.prose):
            data = source.content if source.is_script else ""
            best = EmbeddedText(tuple(lines), prose, is_described, source.names(title), data=data)
    return best


def chinese_prose(lines: Iterable[str]) -> int:
    """Return the number of characters in the lines that are Chinese sentences."""
    return sum(line.chars for line in map(line_of, lines) if line.is_prose and _is_chinese(line.text))


def _is_chinese(text: str) -> bool:
    return 2 * count_chars(_HAN, text) > len(text)


@dataclass(frozen=True, slots=True)
class _Source:
    """A script, an element or an attribute that may contain data.

    Attributes:
        content: its content.
        is_script: the content is a program or data; otherwise it is plain text or data.
    """

    content: str
    is_script: bool = False

    def texts(self, *, is_question: bool) -> Iterator[str]:
        """Yield its texts; for a question, these are its answers."""
        if not self.is_script or self.content.lstrip().startswith(_ESCAPED):
            yield from _data_texts(self.content)
        else:
            yield from _script_texts(self.content)
            yield from paragraph_texts(self.content, is_question=is_question)

    def names(self, title: str) -> bool:
        """Return whether it contains a title, plain, as JSON, or as JSON inside JSON."""
        written = [json.dumps(title, ensure_ascii=is_ascii)[1:-1] for is_ascii in (False, True)]
        forms = title, *written, *(json.dumps(form, ensure_ascii=False)[1:-1] for form in written)
        return len(title) >= _MIN_TITLE and any(form in self.content for form in forms)


def _sources(tree: Tree, hidden: Iterable[str]) -> Iterator[_Source]:
    yield from map(_Source, hidden)
    for element in tree.iter("template", "noscript"):
        yield _Source("\n".join(content_lines(element)))
    for value in tree.xpath(_LONG_ATTRIBUTES):
        yield _Source(str(value))
    for script in tree.iter("script"):
        kind = (script.get("type") or "").lower()
        is_template = "template" in kind or kind == "text/html"
        yield _Source((script.text or "")[:_MAX_CHARS], is_script=not is_template)


def _data_texts(text: str, depth: int = _MAX_NESTED) -> Iterator[str]:
    """Yield a text, decoded; for data (JSON), the strings in it."""
    decoded = decode_data(text[:_MAX_CHARS]) if depth else None
    if decoded is not None:
        yield from _data_texts(decoded, depth - 1)
    elif _DATA.match(text) is None:
        yield text
    elif depth:
        yield from _strings(text[:_MAX_CHARS], depth - 1)
        yield from paragraph_texts(text[:_MAX_CHARS])


@keep_by_text
def _script_texts(script: str) -> tuple[str, ...]:
    """Return the texts in the strings of a script that may be Chinese."""
    return tuple(filter(_MAY_BE_TEXT.search, _strings(script)))


def _strings(script: str, depth: int = _MAX_NESTED) -> Iterator[str]:
    for token in LITERAL.finditer(script):
        if has_content(token, _MIN_CHARS) and (literal := content_of(token)):
            yield from _data_texts(unescape_literal(literal), depth)


def _lines(text: str) -> list[str]:
    for _ in range(2):  # twice, because markup in JSON is often escaped twice
        if "<" not in text and "&lt;" in text:
            text = unescape(text)
    if not _MARKUP.search(text):
        return [line for raw in text.split("\n") if (line := " ".join(raw.split()))]
    article = parse(text if BLOCK_TAG.search(text) else text.replace("\n", "<br>"))
    return [] if article is None else lines_of(article)
