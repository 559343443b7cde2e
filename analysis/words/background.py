"""Descriptions of background texts, and of a page's stretches in them."""

from collections.abc import Iterable

from analysis.words.i18n import Translator
from storage.records import UNCOUNTED, Background, Match


def background_line(background_text: Background, texts: Translator) -> str:
    """Return a line that describes the stretches of a page in a background text."""
    title = " / ".join(filter(None, (background_text.work, background_text.passage)))
    line = texts.ngettext(
        "{chars} characters in {count} stretch are in the background text “{title}”.",
        "{chars} characters in {count} stretches are in the background text “{title}”.",
        len(background_text.spans),
    )
    return line.format(chars=background_text.chars, count=len(background_text.spans), title=title)


def background_lines(match: Match, background: Iterable[Background], *, texts: Translator) -> list[str]:
    """Return a line for each background text that contains stretches of a match.

    Args:
        match: a match.
        background: stretches of its page in background texts.
        texts: the language.
    """
    return [background_line(entry, texts) for entry in background_of(match, background)]


def background_of(match: Match, background: Iterable[Background]) -> tuple[Background, ...]:
    """Return the background texts that contain uncounted stretches of a match.

    Args:
        match: a match; of one that is common as a whole these are all its stretches.
        background: stretches of its page in background texts.
    """
    uncounted = match.common or (match.spans if match.verdict in UNCOUNTED else ())
    return tuple(
        entry
        for entry in background
        if entry.part == match.part
        and any(
            span.page_start < other.page_end and other.page_start < span.page_end
            for span in entry.spans
            for other in uncounted
        )
    )


def background_as_object(background: Background) -> dict[str, object]:
    """Return a background text as ``--json`` prints it; offsets refer to the page and to the passage."""
    spans = [
        {
            "page": [span.page_start, span.page_end],
            "passage": [span.passage_start, span.passage_end],
            "char_identity": span.char_identity,
        }
        for span in background.spans
    ]
    return {"work": background.work, "passage": background.passage, "part": background.part, "spans": spans}
