"""Words for the alerts of sources."""

from analysis.words.i18n import N_, Translator
from analysis.words.labels import ALERTS, word
from storage.records import Alert

_LINE = N_("{alert}: {detail}")
_WITH_SOURCE = N_("Alert, {source}: {alert}")


def alert_words(texts: Translator, alert: Alert) -> str:
    """Return the words of an alert with its figures. Alerts of earlier versions are in English."""
    detail = texts.message(alert.message) or texts.reason(alert.detail)
    label = word(texts, ALERTS, alert.kind)
    return texts.gettext(_LINE).format(alert=label, detail=detail) if detail else label


def alert_line(texts: Translator, alert: Alert) -> str:
    """Return the line for an alert of a source."""
    return texts.gettext(_WITH_SOURCE).format(source=alert.source, alert=alert_words(texts, alert))
