"""Twins of real pages: each text once more in another form, which must be read as it was.

A rule that was written with the same pages in view is shown up by their twins: classes renamed, paragraphs
made of other elements, the text put into a table, a form, sections or a script, and surrounded with other
stories. A twin's gold text is that of its page. What surrounds a text is cut from the gold texts of other
pages, so that it reads like what sites print. Seeded by the page's name.

Pages whose text stands in no element of its own are left out, and threads, whose posts are several texts. Of
the others some are taken, by a hash of their names.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import islice
from random import Random
from typing import Any, TypeAlias

from lxml import html as lxml_html
from support.forms.data_twins import IN_DATA

from benchmarks.extraction import Extractor, Quality, StoredPage, comparable_text, measure
from crawler.extraction.parsing import decode_page
from fingerprint.text.variants import unfold

Node: TypeAlias = Any  # lxml ships no types

AS_IT_IS = "as it is"
EXTRACTORS = ("pindna", "trafilatura, defaults", "readability-lxml")
_PAGES = 30
_MAX_BYTES = 200_000  # of a page; most of a larger one is its scripts
_THREADS = frozenset({"forum", "forum-hg"})
_SHINGLE = 5
_MIN_HELD = 0.9  # of the gold text that a page has, in the element that holds it
_MIN_GOLD = 100  # characters of it on the page
_SKIPPED = frozenset({"script", "style", "noscript", "template", "head", "textarea", "option"})
_NAME = re.compile(r"([.#])(-?[A-Za-z_][\w-]*)")
_SHOWN_BY_SCRIPT = "js_content"  # readers know it: WeChat hides its article by a style until a script runs
_SENTENCE = re.compile(r"[^。！？\n]{12,60}[。！？]")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What may stand around a text: sentences of other pages."""

    sentences: Sequence[str]
    random: Random

    def story(self) -> tuple[str, str]:
        """Return the title and the beginning of another story."""
        title, *beginning = self.random.sample(self.sentences, 3)
        return title.rstrip("。！？")[:24], "".join(beginning)

    def remark(self) -> str:
        """Return what a reader might say."""
        return self.random.choice(self.sentences)


def twins(pages: Sequence[StoredPage]) -> Iterator[tuple[str, list[StoredPage]]]:
    """Yield the name of each form with the twins of all pages in it; first the pages as they are."""
    texts = [page for page in pages if page.gold and not page.is_garbled and page.kind not in _THREADS]
    small = [page for page in texts if len(page.data) <= _MAX_BYTES]
    small.sort(key=lambda page: hashlib.sha256(page.name.encode()).digest()[::-1])
    held = [*islice((page for page in small if holder_of(_tree(page), page.gold or "") is not None), _PAGES)]
    yield AS_IT_IS, held
    for name, change in {**FORMS, **IN_DATA}.items():
        yield name, [_twin(page, held, change) for page in held]
    yield "in traditional characters, as Big5", [_in_big5(page) for page in held]


def measure_twins(pages: Sequence[StoredPage], extractors: dict[str, Extractor]) -> list[Quality]:
    """Return the F1 of every extractor on every form; the form stands in ``group``."""
    qualities: list[Quality] = []
    for name, copies in twins(pages):
        qualities += measure(copies, extractors, groups_of=lambda _, name=name: (name,))[0]  # type: ignore[misc]
    return qualities


def holder_of(tree: Node, gold: str) -> Node | None:
    """Return the innermost element with nearly all of the gold text that the page shows; None without one."""
    wanted = _shingles(gold)
    held = Counter[Node]()
    body = tree.find("body")
    for element in () if body is None else body.iter():
        if not isinstance(element.tag, str) or _is_skipped(element):
            continue
        own = comparable_text("".join([element.text or "", *(child.tail or "" for child in element)]))
        grams = _shingles(own)
        if grams and len(grams & wanted) >= _MIN_HELD * len(grams):
            for around in (element, *element.iterancestors()):
                held[around] += len(own)
    total = held[body]
    holders = [element for element, chars in held.items() if chars >= _MIN_HELD * total >= _MIN_GOLD]
    inner = max(holders, key=lambda element: sum(1 for _ in element.iterancestors()), default=None)
    return None if inner is None or inner.tag == "body" else inner


def _is_skipped(element: Node) -> bool:
    return any(node.tag in _SKIPPED for node in (element, *element.iterancestors()))


def _shingles(text: str) -> set[str]:
    plain = comparable_text(text)
    return {plain[at : at + _SHINGLE] for at in range(len(plain) - _SHINGLE + 1)}


def _tree(page: StoredPage) -> Node:
    text = decode_page(page.data, declared=page.declared).text
    parser = lxml_html.HTMLParser(encoding="utf-8", remove_comments=True, huge_tree=True)
    return lxml_html.document_fromstring(text.replace("\x00", "").encode("utf-8", "replace"), parser=parser)


def _twin(page: StoredPage, pages: Sequence[StoredPage], change: "Form") -> StoredPage:
    random = Random(page.name)
    others = [other for other in pages if other.name != page.name]
    picked = random.sample(others, min(20, len(others)))
    sentences = [sentence for other in picked for sentence in _SENTENCE.findall(other.gold or "")]
    tree = _tree(page)
    holder = holder_of(tree, page.gold or "")
    change(tree, holder, Surroundings(sentences, random))
    data = lxml_html.tostring(tree, encoding="utf-8", doctype="<!DOCTYPE html>")
    return replace(page, data=data, declared="utf-8")


def _in_big5(page: StoredPage) -> StoredPage:
    """Return a page in the most common traditional characters, in the bytes of Taiwan's older sites."""
    text = unfold(decode_page(page.data, declared=page.declared).text)
    data = text.encode("big5hkscs", "xmlcharrefreplace")
    return replace(page, data=data, declared="big5", gold=unfold(page.gold or ""))


# ── Forms ──────────────────────────────────────────────────────────────────────────────────────────────

Form: TypeAlias = Callable[[Node, Node, Surroundings], None]


def _renamed(tree: Node, _: Node, __: Surroundings) -> None:
    """Give every class and id another name, in the page's style sheets too."""
    for element in tree.iter():
        for attribute in ("class", "id"):
            if value := element.get(attribute) if isinstance(element.tag, str) else None:
                element.set(attribute, " ".join(map(_other_name, value.split())))
        if element.tag == "style" and element.text:
            element.text = _NAME.sub(lambda name: name[1] + _other_name(name[2]), element.text)


def _other_name(name: str) -> str:
    if name == _SHOWN_BY_SCRIPT:
        return name
    return "x" + hashlib.sha256(name.encode()).hexdigest()[:6].translate(
        str.maketrans("0123456789", "ghijkmnpqr")
    )


def _in_divs(_: Node, holder: Node, __: Surroundings) -> None:
    for paragraph in _paragraphs(holder):
        paragraph.tag = "div"


def _in_lines(_: Node, holder: Node, __: Surroundings) -> None:
    """Separate paragraphs by two line breaks in one element."""
    for paragraph in _paragraphs(holder):
        paragraph.tag = "span"
        paragraph.extend([lxml_html.Element("br"), lxml_html.Element("br")])


def _in_table(_: Node, holder: Node, around: Surroundings) -> None:
    links = "".join(f"<tr><td><a href='/{n}'>{escape(around.story()[0])}</a></td></tr>" for n in range(8))
    table = _element(f"<table><tr><td><table>{links}</table></td><td></td></tr></table>")
    _put_around(holder, table, table.xpath("./tr/td|./tbody/tr/td")[1])


def _in_form(_: Node, holder: Node, __: Surroundings) -> None:
    form = _element("<form action='./page.aspx'><input type='hidden' name='__VIEWSTATE' value='x'></form>")
    _put_around(holder, form, form)


def _beside_aside(_: Node, holder: Node, around: Surroundings) -> None:
    stories = [around.story() for _ in range(5)]
    items = "".join(
        f"<li><a href='/{escape(title)}'>{escape(title)}</a><p>{escape(text)}</p></li>"
        for title, text in stories
    )
    article = _element(f"<article><div></div><aside><h3>热门</h3><ul>{items}</ul></aside></article>")
    _put_around(holder, article, article[0])


def _between_teasers(_: Node, holder: Node, around: Surroundings) -> None:
    """Put the beginnings of five other stories before the text, and of five behind it."""
    before, behind = (_element(f"<div>{_teasers(around)}</div>") for _ in range(2))
    holder.addprevious(before)
    _put_behind(holder, behind)


def _teasers(around: Surroundings) -> str:
    stories = [around.story() for _ in range(5)]
    return "".join(
        f"<div><h3><a href='/story/{number}.html'>{escape(title)}</a></h3><p>{escape(text)}</p></div>"
        for number, (title, text) in enumerate(stories)
    )


def _above_comments(_: Node, holder: Node, around: Surroundings) -> None:
    remarks = "".join(
        f"<li><div><a href='/user/{number}'>读者{number}号</a> <span>2024-03-1{number} 12:05</span></div>"
        f"<p>{escape(around.remark())}</p><div><a href='#'>回复</a> <a href='#'>赞(3)</a></div></li>"
        for number in range(8)
    )
    _put_behind(holder, _element(f"<div><h3>网友评论（8）</h3><ul>{remarks}</ul></div>"))


def _in_sections(_: Node, holder: Node, __: Surroundings) -> None:
    """Give every few paragraphs a block with a heading, a link and a table; put the contents above all."""
    paragraphs = [
        node for node in holder if isinstance(node.tag, str) and len(node.text_content().strip()) > 1
    ]
    size = max(1, -(-len(paragraphs) // 5))
    contents = _element("<ul></ul>")
    for number, start in enumerate(range(0, len(paragraphs), size), 1):
        part = paragraphs[start : start + size]
        section = _element(
            f"<div><div><h2>第{number}部分</h2> <a href='/edit/{number}'>编辑</a></div><div></div></div>"
        )
        part[0].addprevious(section)
        section[1].extend(part)
        contents.append(_element(f"<li><a href='#part{number}'>{number} 第{number}部分</a></li>"))
        table = "".join(f"<tr><td>数据{row}</td><td>{row * number}</td></tr>" for row in range(3))
        section.append(_element(f"<table>{table}</table>"))
    if len(contents):
        holder.insert(0, contents)


FORMS: dict[str, Form] = {
    "classes renamed": _renamed,
    "paragraphs as div": _in_divs,
    "paragraphs as lines": _in_lines,
    "in a table": _in_table,
    "in a form": _in_form,
    "beside an aside": _beside_aside,
    "between teasers": _between_teasers,
    "above comments": _above_comments,
    "in sections": _in_sections,
}


def _paragraphs(holder: Node) -> list[Node]:
    return [*holder.iter("p")]


def _element(markup: str) -> Node:
    return lxml_html.fragment_fromstring(markup)


def _put_around(holder: Node, around: Node, inside: Node) -> None:
    """Put an element where the holder is, with the holder inside it."""
    tail, holder.tail = holder.tail, None
    holder.addprevious(around)
    inside.append(holder)
    around.tail = tail


def _put_behind(holder: Node, element: Node) -> None:
    element.tail, holder.tail = holder.tail, None
    holder.addnext(element)
