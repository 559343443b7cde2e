"""What style sheets add to a page's text or change in it: generated content, order, direction. Pure."""

from crawler.extraction.parsing import Tree
from crawler.extraction.stylesheets import Sheets


def show_as_styled(tree: Tree, sheets: Sheets, url: str) -> None:
    """Change a page's tree to what a browser shows of it."""
