"""Empty containers that an external script fills. Pure, linear.

Only pages with a clear sign are counted: the container has a typical name of a text, or is directly before a
script of the same site. Nearly every page has scripts, but hardly any of them writes an article.
"""

from crawler.extraction.marked import MarkedElements
from crawler.extraction.parsing import Element

# Names of text containers, as an id or as the only class.
_NAMES = frozenset(
    {
        *(
            "content",
            "contents",
            "article",
            "articlecontent",
            "article-content",
            "article_content",
            "articlebody",
        ),
        *(
            "chapter",
            "chaptercontent",
            "chapter-content",
            "chapter_content",
            "text",
            "txt",
            "booktext",
            "booktxt",
        ),
        *(
            "htmlcontent",
            "novelcontent",
            "readcontent",
            "read-content",
            "readercontent",
            "reader",
            "reader-content",
        ),
        *(
            "novel",
            "story",
            "nr",
            "nr1",
            "main-content",
            "maincontent",
            "post-content",
            "postcontent",
            "zhengwen",
        ),
    }
)
_CLASSES = _NAMES - {"text", "txt"}
_TAGS = ("div", "section", "article", "main", "p", "pre", "span")


def count_fillers(page: MarkedElements) -> int:
    """Return the number of external scripts that may fill an empty container with a text."""
    outer = outer_scripts(page)
    if not outer:
        return 0
    fillers = sum(_fills_container_before(script) for script in outer)
    if fillers:
        return fillers
    names = [name for name in page.names if name[1:].strip().lower() in _NAMES]
    named = (element for name in names for element in page.named(name))
    is_empty = any(element.tag in _TAGS and _is_empty(element) and _has_name(element) for element in named)
    return len(outer) if is_empty else 0


def outer_scripts(page: MarkedElements) -> list[Element]:
    """Return the scripts that are not inline."""
    return [script for script in page.all_of("script") if script.get("src")]


def _fills_container_before(script: Element) -> bool:
    """Return whether a script of the same site follows an empty element with an id."""
    before = script.getprevious()
    address = (script.get("src") or "").strip()
    if before is None or address.startswith("//") or ":" in address[:8]:
        return False
    return before.tag in _TAGS and bool(before.get("id")) and _is_empty(before)


def _is_empty(element: Element) -> bool:
    return len(element) == 0 and (not element.text or element.text.isspace())


def _has_name(element: Element) -> bool:
    if identity := element.get("id"):
        return identity.strip().lower() in _NAMES
    return (element.get("class") or "").strip().lower() in _CLASSES
