"""Whether a text is still up, in one line, for reports and the terminal alike."""

from collections.abc import Callable, Iterator
from datetime import datetime

from analysis.words.i18n import Translator
from analysis.words.labels import LOOKS, reason_word, word
from storage.records import Look, Presence


def presence_text(presence: Presence, texts: Translator, moment: Callable[[datetime], str]) -> str:
    """Return what the last look saw and when, and since when a text is absent.

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
    """Return what ``--json`` prints of a presence."""
    return {
        "state": presence.state,
        "checked": presence.checked.isoformat(),
        "seen": presence.seen.isoformat() if presence.seen else None,
        "absent_since": presence.absent_since.isoformat() if presence.absent_since else None,
        "reason": presence.reason,
        "moved_to": presence.moved_to,
    }


def look_as_object(look: Look) -> dict[str, object]:
    """Return what ``--json`` prints of a look."""
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
