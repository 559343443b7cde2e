"""One text seen in the ways that the methods need: each view is made when first asked for, and kept.

A benchmark or a table of all methods makes one :class:`Views` a text, so that no text is cut into words twice.

========== ========================================================================================
text       as given
normalised NFKC, without white space and invisible characters: what exact duplicates are digests of
simplified normalised, lower case, traditional characters folded: what all further views are made of
characters ``simplified`` without punctuation
sentences  ``simplified`` cut at sentence ends and line breaks, each without punctuation
words      ``simplified`` sentences cut by the injected segmenter, without punctuation
letters    pinyin initials, with offsets
========== ========================================================================================

Folding before cutting is a choice of ours: published methods take words as they come, but jieba's dictionary
is in simplified characters, and a traditional edition would share hardly a word with its simplified one.
"""

import re
from collections.abc import Callable
from functools import cached_property

from fingerprint.letters import Letters, to_letters
from fingerprint.normal import normalised
from fingerprint.variants import fold

Cut = Callable[[str], list[str]]

_SENTENCE_END = re.compile(r"[。！？!?；;…\r\n\u2028\u2029]+")
_NO_LETTER = re.compile(r"[\W_]+")


def bigrams(text: str) -> list[str]:
    """Return overlapping pairs of characters: a segmenter that needs no dictionary.

    >>> bigrams("青灯渡口"), bigrams("灯")
    (['青灯', '灯渡', '渡口'], ['灯'])
    """
    return [text[a : a + 2] for a in range(max(1, len(text) - 1))] if text else []


class Views:
    """Views of one text, made lazily and kept.

    Args:
        text: any text.
        cut: the word segmenter; it gets stretches of simplified text without sentence ends.

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
        return normalised(self.text)

    @cached_property
    def characters(self) -> str:
        """Simplified letters, digits and Han characters in a row; no punctuation, no white space."""
        return "".join(self.sentences)

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """Simplified sentences in their order, without punctuation; none is empty."""
        pieces = map(normalised, _SENTENCE_END.split(self.text))
        bare = (_NO_LETTER.sub("", fold(piece).lower()) for piece in pieces)
        return tuple(piece for piece in bare if piece)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The segmenter's words in their order, repeats included; no punctuation."""
        pieces = (fold(normalised(piece)).lower() for piece in _SENTENCE_END.split(self.text))
        bare = (_NO_LETTER.sub("", word) for piece in pieces if piece for word in self._cut(piece))
        return tuple(word for word in bare if word)

    @cached_property
    def letters(self) -> Letters:
        """The pinyin initials."""
        return to_letters(self.text)
