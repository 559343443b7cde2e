"""Whether a text is still up, in words: the same words for the same answer on every surface."""

from collections.abc import Callable, Iterator
from datetime import datetime

from analysis.words.i18n import Translator
from analysis.words.labels import LOOKS, WATCH_STATES, reason_word, word
from storage.records import Look, LookState, Presence, Watch, WatchState
from system.messages import N_

# Reasons of ``gone`` for an address that still opens: it answers 200, but without the text.
_OPENS = frozenset({"soft-404", "front-page"})
_WITHOUT_TEXT = N_("Opens without the text")
_UNCONFIRMED = N_("Probably removed, to be checked again")


def look_text(state: LookState, reason: str, texts: Translator) -> str:
    """Return what a look found. An address that answers 200 is not called gone."""
    return _state_text(state, reason, texts) or word(texts, LOOKS, state)


def watch_text(watch: Watch, texts: Translator) -> str:
    """Return the state of a watched address. One look without the copy does not prove a removal."""
    if watch.first_gone is not None and watch.gone_since is None:
        return texts.gettext(_UNCONFIRMED)
    return _state_text(watch.state, watch.reason, texts) or word(texts, WATCH_STATES, watch.state)


def _state_text(state: LookState | WatchState, reason: str, texts: Translator) -> str:
    return texts.gettext(_WITHOUT_TEXT) if state == "gone" and reason in _OPENS else ""


def presence_text(presence: Presence, texts: Translator, moment: Callable[[datetime], str]) -> str:
    """Return the result and the time of the last look, and since when the text is absent.

    Args:
        presence: of a text.
        texts: the language.
        moment: writes a moment in the reader's time zone.
    """
    return " · ".join(_parts(presence, texts, moment))


def _parts(presence: Presence, texts: Translator, moment: Callable[[datetime], str]) -> Iterator[str]:
    yield look_text(presence.state, presence.reason, texts)
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
