"""The line about the engine, the budget and the price of a source that searches."""

from analysis.words.i18n import Translator
from analysis.words.labels import SEARCH_FORMS
from storage.records import Discovery

_THOUSAND = 1_000


def price_of(discovery: Discovery, searches: int) -> str:
    """Return the price of searches, such as ``0.06 USD``; an empty string if they are free."""
    if not discovery.cost:
        return ""
    return f"{discovery.cost * searches / _THOUSAND:,.2f} {discovery.currency}".rstrip()


def budget_line(discovery: Discovery, searches: int, texts: Translator) -> str:
    """Return the engine, the searches of today, the budget, and the price.

    Args:
        discovery: of the source.
        searches: of today.
        texts: of the user's language.
    """
    label = texts.gettext(SEARCH_FORMS[discovery.form])
    if discovery.form == "file":
        return f"{label}, {discovery.file}"
    if discovery.daily is None:
        line = texts.gettext("{engine}; searches today: {count}, no daily budget")
    else:
        line = texts.gettext("{engine}; searches today: {count} of {most}")
    line = line.format(engine=label, count=searches, most=discovery.daily)
    if price := price_of(discovery, searches):
        line += texts.gettext(" ({price})").format(price=price)
    return line
