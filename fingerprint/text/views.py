"""Views of a text: the forms in which the methods use it. Each view is computed on first use and cached.

A caller that applies several methods makes one :class:`Views` per text, so that no text is segmented twice.

========== ========================================================================================
text       unchanged
normalised NFKC, without white space and invisible characters; for digests of whole texts
folded     NFKC, lower case, simplified characters, nothing invisible; the base of the views below
characters letters, digits and Han characters; without punctuation and white space
sentences  split at sentence ends and line breaks; without punctuation
words      from the segmenter that the caller passes; without punctuation
letters    pinyin initials, with offsets into ``text``
========== ========================================================================================

Published methods segment words without folding. pindna folds first, because jieba's dictionary contains only
simplified characters. Without folding, a traditional and a simplified edition would share hardly any word.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import cached_property

from fingerprint.text.letters import Letters, to_letters
from fingerprint.text.normal import normal_form, remove_invisible
from fingerprint.text.variants import fold

Cut = Callable[[str], list[str]]

# NFKC makes full-width marks narrow, and turns an ellipsis into three full stops.
_SENTENCE_END = re.compile(r"(?:[。!?;\r\n\x0b\x0c\x85\u2028\u2029]|\.{3})+")
_NO_LETTER = re.compile(r"[\W_]+")
# White space within a line is removed before segmentation, because it is accidental in Chinese text.
_WITHIN_LINE = re.compile(r"[^\S\r\n]+")


def bigrams(text: str) -> list[str]:
    """Return the overlapping pairs of neighbouring characters, a segmentation without a dictionary.

    >>> bigrams("青灯渡口，灯")
    ['青灯', '灯渡', '渡口', '灯']
    """
    stretches = filter(None, _NO_LETTER.split(text))
    return [stretch[a : a + 2] for stretch in stretches for a in range(max(1, len(stretch) - 1))]


class Views:
    """The views of one text, computed lazily and cached.

    Args:
        text: any text.
        cut: the word segmenter; it returns the words of a text in order, possibly with punctuation.

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
        """The text in NFKC without white space and invisible characters."""
        return normal_form(self.text)

    @cached_property
    def folded(self) -> str:
        """The text in NFKC, lower case and simplified characters, with punctuation and white space."""
        # Folding applies NFKC to single characters, and is ten times as fast as NFKC. Other cases are rare.
        folded = fold(remove_invisible(self.text)).replace("…", "...")
        if not unicodedata.is_normalized("NFKC", folded):
            folded = fold(unicodedata.normalize("NFKC", folded))
        return folded.lower()

    @cached_property
    def characters(self) -> str:
        """The letters, digits and Han characters of the folded text."""
        return _NO_LETTER.sub("", self.folded)

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The sentences in order, without punctuation; none is empty."""
        sentences = (_NO_LETTER.sub("", piece) for piece in _SENTENCE_END.split(self.folded))
        return tuple(sentence for sentence in sentences if sentence)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The segmenter's words in order, without punctuation, duplicates included."""
        segmented = self._cut(_WITHIN_LINE.sub("", self.folded))
        words = (word if word.isalnum() else _NO_LETTER.sub("", word) for word in segmented)
        return tuple(word for word in words if word)

    @cached_property
    def letters(self) -> Letters:
        """The pinyin initials of the text."""
        return to_letters(self.text)
