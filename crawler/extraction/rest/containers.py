"""Empty containers that a script of another address is to fill. Pure, linear.

Only such pages are counted that say so: the container has the name of a text, or is right before a script
of the site itself. Nearly every page has scripts, and hardly one of them writes an article.
"""

from crawler.extraction.marked import Marked
from crawler.extraction.parsing import Element

# Names of containers of a text; of an id, or of the only class.
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


def count_fillers(page: Marked) -> int:
    """Return the number of scripts of other addresses that may fill an empty container with a text."""
    outer = outer_scripts(page)
    if not outer:
        return 0
    beside = sum(_fills_container_before(script) for script in outer)
    if beside:
        return beside
    return (
        len(outer) if any(_has_name(element) for element in page.all_of(*_TAGS) if _is_empty(element)) else 0
    )


def outer_scripts(page: Marked) -> list[Element]:
    """Return the scripts that are not on the page itself."""
    return [script for script in page.all_of("script") if script.get("src")]


def _fills_container_before(script: Element) -> bool:
    """Return whether a script of the site itself follows an empty element with an id."""
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
