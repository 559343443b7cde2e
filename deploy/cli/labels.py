"""Translations of stored codes to the language of the terminal."""

from collections.abc import Mapping

from analysis.words.i18n import translator
from analysis.words.labels import Code, reason_word, word


def word_of(labels: Mapping[Code, str], code: Code) -> str:
    """Return the word for a code.

    Args:
        labels: of all codes of the kind, such as :data:`analysis.words.labels.VERDICTS`.
        code: one of them.
    """
    return word(translator(), labels, code)


def reason_of(reason: str) -> str:
    """Return the reason of a failure in words."""
    return reason_word(translator(), reason)
