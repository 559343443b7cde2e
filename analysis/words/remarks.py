"""Remarks in records, such as the rules of a file that cannot be used, in one language."""

from collections.abc import Iterable

from analysis.words.i18n import StoredText, Translator


def remark_texts(remarks: Iterable[StoredText], texts: Translator) -> list[str]:
    """Return remarks in the translator's language."""
    return [texts.gettext(remark.template).format(**remark.data) for remark in remarks]
