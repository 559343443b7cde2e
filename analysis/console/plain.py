"""Plain pages without scripts: the sign-in page, and the page that reports an outage."""

import re
from datetime import UTC

from starlette.datastructures import Headers

from analysis.console.headers import PLAIN_POLICY
from analysis.words.i18n import LANGUAGES, Translator, accepted_language, translator
from analysis.words.templating import environment

LANGUAGE_COOKIE = "pindna_language"
_COOKIE = re.compile(r"(__Host-)?pindna(_[a-z]+)?")
_WORD = re.compile(r"[A-Za-z0-9_-]{1,100}")
HEADERS = {"Content-Security-Policy": PLAIN_POLICY, "Cache-Control": "no-store"}


def language_of_request(headers: Headers) -> Translator:
    """Return the texts in the user's language, else in the browser's language, else in Chinese."""
    chosen = cookies_of(headers).get(LANGUAGE_COOKIE, "")
    if chosen in LANGUAGES:
        return translator(chosen, "console")
    return translator(accepted_language(headers.get("accept-language", "")) or "zh", "console")


def cookies_of(headers: Headers) -> dict[str, str]:
    """Return pindna's cookies of a request, without cookies of other programs on this host.

    The values are simple words. Python's cookie parser is not used, because it takes quadratic time for
    backslashes (CVE-2024-7592).
    """
    parts = (cookie.strip().partition("=") for cookie in headers.get("cookie", "").split(";"))
    return {name: value for name, _, value in parts if _COOKIE.fullmatch(name) and _WORD.fullmatch(value)}


def render(texts: Translator, template: str, **values: object) -> str:
    """Return a page of ``analysis/words/templates/console``.

    Args:
        texts: the language.
        template: its name.
        values: what it shows; each is escaped.
    """
    page = environment(texts, UTC).get_template(f"console/{template}")
    return page.render(language=texts.language, **values)
