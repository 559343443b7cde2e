"""What elements say about themselves: by class, id and tag. Pure."""

import re

from crawler.extraction.outline import Outline
from crawler.extraction.parsing import Element

# Words in class and id that say what an element holds. Those that also occur inside other names
# (in-article-ad, no-share) count only where a name begins with them.
_ASIDE = re.compile(
    r"(?:^|[\s_-])(?:comments?|pinglun|discuss|recommend|tuijian|related|xiangguan|footer|copyright|sidebar|breadcrumbs?)"
    r"(?![a-z])"
    r"|(?:^|\s)(?:repl(?:y|ies)|relat(?:e|ive)|foot|share|crumbs?|nav|navigation|menu|hot|rank(?:ing)?|login|disclaimer"
    r"|statement|advert\w*|ads?|banner|guess|interest|qrcode|erweima)(?![a-z])",
    re.IGNORECASE,
)
_MAX_NAMES = 6  # a longer list of classes is a style, or the state of a whole page
_NUMBER = re.compile(r"\d+")


def is_aside(element: Element) -> bool:
    """Return whether class or id says comments, related links, footer or the like."""
    names = f"{element.get('class') or ''} {element.get('id') or ''}"
    return len(names) > 1 and len(names.split()) <= _MAX_NAMES and _ASIDE.search(names) is not None


def code_blocks(page: Outline) -> set[int]:
    """Return the blocks of program code: no sentences, and no labels either."""
    codes: set[int] = set()
    for block in range(1, len(page.elements)):
        if page.elements[block].tag == "pre" or page.parents[block] in codes:
            codes.add(block)
    return codes


def make_of(element: Element) -> tuple[str, ...]:
    """Return what elements of the same make have in common: tag and class, and id but for a number."""
    return str(element.tag), element.get("class") or "", _NUMBER.sub("", element.get("id") or "")
