"""The figures of a match, which the HTML reports show above its texts."""

from datetime import tzinfo

from analysis.fields.cells import fact_lines
from analysis.fields.match_row import MatchRow
from analysis.fields.matches import FIGURE_FIELDS
from analysis.words.i18n import Translator
from storage.records import Match


def figures_of(match: Match, *, texts: Translator, zone: tzinfo) -> list[tuple[str, str]]:
    """Return name and value of each figure of a match."""
    return list(fact_lines(FIGURE_FIELDS, MatchRow(match=match), texts, zone))
