"""Plain pages, without scripts: the way in, and what is shown while a service does not answer."""

from datetime import UTC
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers

from analysis.console.headers import PLAIN_POLICY
from analysis.i18n import LANGUAGES, Translator, accepted_language, translator
from analysis.templating import environment

LANGUAGE_COOKIE = "pindna_language"
HEADERS = {"Content-Security-Policy": PLAIN_POLICY, "Cache-Control": "no-store"}


def language_of_request(headers: Headers) -> Translator:
    """Return the texts in the language that somebody chose, else the browser's, else Chinese."""
    chosen = cookies_of(headers).get(LANGUAGE_COOKIE, "")
    if chosen in LANGUAGES:
        return translator(chosen)
    return translator(accepted_language(headers.get("accept-language", "")) or "zh")


def cookies_of(headers: Headers) -> dict[str, str]:
    """Return the cookies that a request brings; none where they cannot be read."""
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(headers.get("cookie", "")).items()}
    except CookieError:
        return {}


def render(texts: Translator, template: str, **values: object) -> str:
    """Return a page of ``analysis/templates/console``.

    Args:
        texts: the language.
        template: its name.
        values: what it shows; each is escaped.
    """
    page = environment(texts, UTC).get_template(f"console/{template}")
    return page.render(language=texts.language, **values)
