"""Views of one text for the methods; each view is made on first use and cached.

A benchmark or a table of all methods makes one :class:`Views` per text, so that no text is segmented twice.

========== ========================================================================================
text       unchanged
normalised NFKC, without white space and invisible characters; for digests of whole texts
folded     NFKC, lower case, simplified characters, nothing invisible; the base of the views below
characters letters, digits and Han characters in a row; no punctuation, no white space
sentences  cut at sentence ends and line breaks; without punctuation
words      cut by the injected segmenter; without punctuation
letters    pinyin initials, with offsets into ``text``
========== ========================================================================================

Published methods segment words without folding. pindna folds first, because jieba's dictionary contains
simplified characters: a traditional edition would share hardly a word with its simplified one.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import cached_property

from fingerprint.text.letters import Letters, to_letters
from fingerprint.text.normal import normal_form, without_invisible
from fingerprint.text.variants import fold

Cut = Callable[[str], list[str]]

# NFKC makes full-width marks narrow, and turns an ellipsis into three full stops.
_SENTENCE_END = re.compile(r"(?:[。!?;\r\n\x0b\x0c\x85\u2028\u2029]|\.{3})+")
_NO_LETTER = re.compile(r"[\W_]+")
# A line break ends a sentence and may end a word; other white space within a line is accidental.
_WITHIN_LINE = re.compile(r"[^\S\r\n]+")


def bigrams(text: str) -> list[str]:
    """Return overlapping pairs of neighbouring characters: words without a dictionary.

    >>> bigrams("青灯渡口，灯")
    ['青灯', '灯渡', '渡口', '灯']
    """
    stretches = filter(None, _NO_LETTER.split(text))
    return [stretch[a : a + 2] for stretch in stretches for a in range(max(1, len(stretch) - 1))]


class Views:
    """Views of one text, made lazily and cached.

    Args:
        text: any text.
        cut: the word segmenter: text → its words in order, possibly with punctuation.

    >>> views = Views("這隻皮靴，號碼大了。那隻號碼合適！")
    >>> views.sentences
    ('这只皮靴号码大了', '那只号码合适')
    >>> views.words[:3], str(views.letters)
    (('这只', '只皮', '皮靴'), 'zzpxhmdlnzhmhs')
    """

    def __init__(self, text: str, *, cut: Cut = bigrams) -> None:
        self.text = text
        self._cut = cut

    @cached_property
    def normalised(self) -> str:
        """The text in NFKC without white space."""
        return normal_form(self.text)

    @cached_property
    def folded(self) -> str:
        """The text in NFKC, lower case and simplified characters, with punctuation and white space."""
        # Folding covers NFKC for single characters, ten times as fast; the remaining cases are rare.
        folded = fold(without_invisible(self.text)).replace("…", "...")
        if not unicodedata.is_normalized("NFKC", folded):
            folded = fold(unicodedata.normalize("NFKC", folded))
        return folded.lower()

    @cached_property
    def characters(self) -> str:
        """Letters, digits and Han characters in a row."""
        return _NO_LETTER.sub("", self.folded)

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """Sentences in order, without punctuation; none is empty."""
        bare = (_NO_LETTER.sub("", piece) for piece in _SENTENCE_END.split(self.folded))
        return tuple(piece for piece in bare if piece)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The segmenter's words in order, repeats included."""
        cut = self._cut(_WITHIN_LINE.sub("", self.folded))
        bare = (word if word.isalnum() else _NO_LETTER.sub("", word) for word in cut)
        return tuple(word for word in bare if word)

    @cached_property
    def letters(self) -> Letters:
        """The pinyin initials."""
        return to_letters(self.text)
