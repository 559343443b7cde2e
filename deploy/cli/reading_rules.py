"""The rules by which commands read files of texts; extraction reads saved pages in its own process."""

from analysis.reading import saved_pages
from crawler.extraction import ExtractedPage
from deploy.cli.inputs import Raw, extract_page
from storage.settings import TrackerSettings
from tracker.corpus.forms import Rules


def reading_rules(settings: TrackerSettings) -> Rules:
    """Return the rules for reading files."""
    return saved_pages.reading_rules(settings, extract_saved)


def extract_saved(data: bytes, name: str) -> ExtractedPage:
    """Extract text and fields of a page.

    Raises:
        PageUnreadable: it exceeded its reader's bounds.
    """
    return extract_page(Raw(name, data))
