"""What the class, id and tag of an element reveal about its content. Pure."""

import re
from collections import Counter
from functools import lru_cache

from crawler.extraction.outline import Outline
from crawler.extraction.parsing import Element, count_chars
from fingerprint.text.han import HAN

# Words in class and id for content that is not the article. Words that also occur inside other names
# (in-article-ad, no-share) count only at the beginning of a name.
_ASIDE = re.compile(
    r"(?:^|[\s_-])(?:comments?|pinglun|discuss|recommend(?:s|ed|ation)?|tuijian|relate[ds]?|relative|xiangguan|footer"
    r"|copyright|sidebar|breadcrumbs?|ads|advert\w*|guess|hotnews|qrcode|erweima|prevnext|pagenav|tagcloud)(?![a-z])"
    r"|(?:^|\s)(?:repl(?:y|ies)|relate\w*|recommend\w*|foot|share|crumbs?|nav|navigation|menu|hot|rank(?:ing)?|login"
    r"|disclaimer|statement|ad|banner|interest|asides?|toc|widgets?)(?![a-z])",
    re.IGNORECASE,
)
# maximum number of names; elements with more classes use them for styling or for the page's state
_MAX_NAMES = 6
_MAX_CHARS = 500  # maximum characters of class and id
_HAN = re.compile(f"[{HAN}]+")
_MIN_HAN_SHARE = 0.5  # minimum share of Han characters in a preformatted text; program code has fewer
_NUMBER = re.compile(r"\d+")


def is_aside(element: Element) -> bool:
    """Return whether tag, class or id names comments, related links, a footer or the like."""
    if element.tag == "aside":
        return True
    classes, identifier = element.get("class"), element.get("id")
    if not classes and not identifier:
        return False
    names = f"{classes or ''} {identifier or ''}"
    return len(names) <= _MAX_CHARS and _name_aside(names)


@lru_cache(maxsize=4096)  # cached, because the pages of a site share these names
def _name_aside(names: str) -> bool:
    return len(names.split()) <= _MAX_NAMES and _ASIDE.search(names) is not None


def code_blocks(page: Outline) -> set[int]:
    """Return the blocks of program code, which are neither sentences nor labels.

    Preformatted text that is mostly Chinese is not code: it is a poem, or a chapter of a plain text file.
    """
    preformatted: dict[int, int] = {}  # block → the outermost preformatted block around it
    for block in range(1, len(page.elements)):
        if page.parents[block] in preformatted:
            preformatted[block] = preformatted[page.parents[block]]
        elif page.elements[block].tag == "pre":
            preformatted[block] = block
    chars, han = Counter[int](), Counter[int]()
    for line in page.lines if preformatted else ():
        if line.block in preformatted:
            chars[preformatted[line.block]] += line.chars
            han[preformatted[line.block]] += count_chars(_HAN, line.text)
    return {
        block
        for block, outer in preformatted.items()
        if han[outer] < _MIN_HAN_SHARE * chars[outer] or not chars[outer]
    }


def signature_of(element: Element) -> tuple[str, ...]:
    """Return tag, class and id without digits; parts of the same kind share them."""
    return str(element.tag), element.get("class") or "", _NUMBER.sub("", element.get("id") or "")
