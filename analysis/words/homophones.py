"""Homophones of a match in words: 清 qīng for 青 qīng."""

from collections.abc import Sequence

from analysis.words.i18n import N_, Translator
from storage.records import Homophone

_LINE = N_("Homophones: {pairs}")
_LINE_PAIRS = 5  # maximum number of pairs in a line
_PAIR = N_("{character} {syllable} for {original} {original_syllable}")


def homophone_text(pair: Homophone, texts: Translator) -> str:
    """Return a pair of characters with their syllables, and with its number if it occurs more than once."""
    line = texts.gettext(_PAIR).format(
        character=pair.character,
        syllable=pair.syllable,
        original=pair.original,
        original_syllable=pair.original_syllable,
    )
    return f"{line} ×{pair.times}" if pair.times > 1 else line


def homophones_line(pairs: Sequence[Homophone], texts: Translator) -> str:
    """Return a line with the first homophones of a match."""
    pairs_shown = [homophone_text(pair, texts) for pair in pairs[:_LINE_PAIRS]]
    more = ["…"] if len(pairs) > len(pairs_shown) else []
    return texts.gettext(_LINE).format(pairs=texts.gettext(", ").join(pairs_shown + more))
