"""A line about the presence of a text, for reports and the terminal."""

from collections.abc import Callable, Iterator
from datetime import datetime

from analysis.words.i18n import Translator
from analysis.words.labels import LOOKS, reason_word, word
from storage.records import Look, Presence


def presence_text(presence: Presence, texts: Translator, moment: Callable[[datetime], str]) -> str:
    """Return the result and the time of the last look, and since when the text is absent.

    Args:
        presence: of a text.
        texts: the language.
        moment: writes a moment in the reader's time zone.
    """
    return " · ".join(_parts(presence, texts, moment))


def _parts(presence: Presence, texts: Translator, moment: Callable[[datetime], str]) -> Iterator[str]:
    yield word(texts, LOOKS, presence.state)
    if presence.reason:
        yield reason_word(texts, presence.reason)
    if presence.moved_to:
        yield presence.moved_to
    if presence.absent_since is not None:
        yield texts.gettext("gone since {moment}").format(moment=moment(presence.absent_since))
    yield texts.gettext("last check {moment}").format(moment=moment(presence.checked))
    if presence.seen is not None and presence.seen != presence.checked:
        yield texts.gettext("last there {moment}").format(moment=moment(presence.seen))


def presence_as_object(presence: Presence) -> dict[str, object]:
    """Return a presence as ``--json`` prints it."""
    return {
        "state": presence.state,
        "checked": presence.checked.isoformat(),
        "seen": presence.seen.isoformat() if presence.seen else None,
        "absent_since": presence.absent_since.isoformat() if presence.absent_since else None,
        "reason": presence.reason,
        "moved_to": presence.moved_to,
    }


def look_as_object(look: Look) -> dict[str, object]:
    """Return a look as ``--json`` prints it."""
    return {
        "at": look.at.isoformat(),
        "scan": look.scan_id,
        "state": look.state,
        "status": look.status,
        "reason": look.reason,
        "moved_to": look.moved_to,
        "page": look.page_id,
        "answer": look.answer_id,
    }
