"""Languages: Chinese and English, by gettext.

Message ids are the English texts, so English needs no catalogue.

How to add a text for users:

* in Python, mark it: ``from analysis.words.i18n import gettext as _`` and ``_("Nothing was found.")``, with
  values put in afterwards, ``_("{count} pages").format(count=7)``, so the id stays constant; ``ngettext`` if
  the text has a plural; ``N_`` if the text is only marked here and translated later;
* if an English word has two Chinese translations, give it a context: ``NC_("count", "Works")`` for a
  constant, ``texts.gettext(NC_("count", "Works"))`` or ``pgettext("count", "Works")`` in a template;
* in a template of ``analysis/words/templates``: ``{{ _("…") }}`` with ``%(name)s`` for values;
* in an error: its ``template``, and a constant ``problem=`` or ``kind=`` in the call that raises it;
* for a text that contains a command: add the texts for console and API to :mod:`analysis.words.surfaces`.

Then run ``python -m analysis.words.catalogue``: it collects the texts into
``analysis/words/locale/zh/LC_MESSAGES/pindna.po``, lists texts without a translation, and compiles the file.
Write the translations into that file, run it again and commit both files. A test fails if a translation is
missing.
"""

import gettext as gnu_gettext
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, Protocol

from analysis.words.reasons import reason_label
from analysis.words.surfaces import Surface, wording
from system import messages
from system.errors import PindnaError
from system.language import chosen_language

Language = Literal["zh", "en"]

DOMAIN = "pindna"
LOCALE_DIR = Path(__file__).parent / "locale"
# fields of errors whose values are translated too
OWN_TEXTS = frozenset({"advice", "kind", "missing", "problem"})
TRANSLATED_DATA = OWN_TEXTS | {
    "holder",
    "needed",
    "page_kind",
    "reason",
    "service",
    "verdict",
}  # values of these types are marked elsewhere
LANGUAGES: tuple[Language, ...] = ("zh", "en")

CONTEXT_END = "\x04"  # separates context and message, as in compiled catalogues of gettext

N_ = messages.N_


def NC_(context: str, message: str) -> str:  # noqa: N802 - customary, like N_
    """Mark a text with a context, which :meth:`Translator.gettext` translates in this context."""
    return f"{context}{CONTEXT_END}{message}"


class StoredText(Protocol):
    """A translatable text in a record: its message id, and its values."""

    @property
    def template(self) -> str:
        """The English text."""

    @property
    def data(self) -> Mapping[str, object]:
        """The values by name; a value may be a translatable text too."""


class Translator:
    """Translates texts into one language, for one surface."""

    def __init__(self, language: Language, surface: Surface = "command-line") -> None:
        self.language: Language = language
        self._surface: Surface = surface
        self._catalogue = gnu_gettext.translation(DOMAIN, LOCALE_DIR, [language], fallback=True)

    def gettext(self, message: str) -> str:
        """Return the translation of a text; the text itself if there is none."""
        context, is_context, text = message.rpartition(CONTEXT_END)
        if is_context:
            return self.pgettext(context, text)
        return self._catalogue.gettext(wording(message, self._surface)) if message else ""

    def pgettext(self, context: str, message: str) -> str:
        """Return the translation of a text in a context."""
        return self._catalogue.pgettext(context, message)

    def ngettext(self, singular: str, plural: str, number: int) -> str:
        """Return the translation of a text in the form for ``number``."""
        return self._catalogue.ngettext(singular, plural, number)

    def error(self, error: PindnaError) -> str:
        """Return an error as one line.

        Values that are translatable texts (``problem="it is empty"``) are translated too.
        """
        return self._line(error.template, error.data)

    def message(self, message: StoredText) -> str:
        """Return the translation of a stored message; empty without a message."""
        return self._line(message.template, message.data)

    def problem(self, problem: str | messages.Message) -> str:
        """Return the translation of an error in a value that :mod:`system.validation` reported."""
        return str(self._value("problem", problem))

    def reason(self, reason: str) -> str:
        """Return the words for the reason why an address was not read."""
        label, values = reason_label(reason)
        return self.gettext(label).format(**values) if values else self.gettext(label)

    def _line(self, template: str, data: Mapping[str, object]) -> str:
        values = {name: self._value(name, value) for name, value in data.items()}
        return self.gettext(template).format(**values)

    def _value(self, name: str, value: object) -> object:
        if isinstance(value, PindnaError):
            return self.error(value)
        if isinstance(value, messages.Message):
            return self.message(value)
        if isinstance(value, tuple):
            return self.gettext(", ").join(str(self._value("", item)) for item in value)
        return self.reason(value) if name in TRANSLATED_DATA and isinstance(value, str) else value


@cache
def _translator(language: Language, surface: Surface) -> Translator:
    return Translator(language, surface)


def translator(language: str | None = None, surface: Surface = "command-line") -> Translator:
    """Return the translator for a language; for None or an unknown one, use the settings or environment.

    Args:
        language: the language.
        surface: where the texts are shown.

    The order is: ``language``; ``analysis.language`` of the settings; the first of ``LC_ALL``,
    ``LC_MESSAGES`` and ``LANG`` that is set, where everything but Chinese means English.
    """
    chosen = _as_language(language) or _from_settings() or language_of_environment(os.environ)
    return _translator(chosen, surface)


def _as_language(language: str | None) -> Language | None:
    return next((supported for supported in LANGUAGES if supported == language), None)


@cache
def _from_settings() -> Language | None:
    """Return the language of the settings; None if it is invalid, which is reported elsewhere."""
    return _as_language(chosen_language())


def language_of_environment(environment: Mapping[str, str]) -> Language:
    """Return the language that the locale variables select."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    first = next((value for name in names if (value := environment.get(name))), "")
    return "zh" if first.lower().startswith("zh") else "en"


def accepted_language(header: str) -> Language | None:
    """Return the first supported language in an ``Accept-Language`` header; None if there is none."""
    preferred = header.casefold()
    places = {name: position for name in LANGUAGES if (position := preferred.find(name)) >= 0}
    return min(places, key=lambda name: places[name], default=None)


def gettext(message: str) -> str:
    """Return a text in the language of settings or environment. Command-line programs call it ``_``."""
    return translator().gettext(message)


def ngettext(singular: str, plural: str, number: int) -> str:
    """Return a text in the form for ``number``, like :func:`gettext`."""
    return translator().ngettext(singular, plural, number)
