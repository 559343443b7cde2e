"""Durations in words. Pure."""

from analysis.words.i18n import Translator

_MINUTES = 60  # minutes in an hour
_DAY_H = 24
_FEW_DAYS_H = 48  # shorter durations are shown in hours, longer ones in days


def duration(texts: Translator, hours: float) -> str:
    """Return a duration in minutes, hours or days, rounded to few digits.

    Args:
        texts: the language.
        hours: 0 or more.

    >>> from analysis.words.i18n import translator
    >>> [duration(translator("en"), hours) for hours in (0.005, 0.25, 1, 30.04, 240)]
    ['< 1 min', '15 min', '1 h', '30 h', '10 days']
    """
    minutes = round(hours * _MINUTES)
    if minutes < 1:
        return texts.gettext("< 1 min")
    if minutes < _MINUTES:
        return texts.gettext("{count} min").format(count=minutes)
    if hours < _FEW_DAYS_H:
        return texts.gettext("{count} h").format(count=round(hours))
    count = round(hours / _DAY_H)
    return texts.ngettext("{count} day", "{count} days", count).format(count=f"{count:,}")
