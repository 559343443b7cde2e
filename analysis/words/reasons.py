"""Labels of the reasons why a crawl did not read an address."""

from system.messages import N_

REASONS = {
    "waiting": N_("Waiting for comparison"),
    "list": N_("List or catalogue"),
    "obfuscated": N_("Obfuscated text"),
    "blocked": N_("Blocked"),
    "incomplete": N_("Incomplete text"),
    "empty": N_("No text"),
    "timeout": N_("The site did not answer in time"),
    "dns": N_("The host's name is unknown"),
    "refused": N_("The host refused the connection"),
    "too-large": N_("The response was too large"),
    "inner-address": N_("Private address, not crawled"),
    "robots": N_("Forbidden by robots.txt"),
    "redirects": N_("Too many redirections"),
    "hostile": N_("The response or the site is malicious"),
    "long-address": N_("The address is too long"),
    "robots-unreachable": N_("robots.txt could not be fetched, so the page was not requested"),
    "wait": N_("The site wants longer pauses than a crawl can keep"),
    "proxy": N_("No proxy of the source works"),
    "site-refuses": N_("The site blocks pindna"),
    "gave-up": N_("Too many attempts"),
    "login": N_("The login failed"),
    "unreadable": N_("The page crashed the program that reads it, or could not be read"),
    "too-slow": N_("Reading the page took too long"),
    "too-much-memory": N_("Reading the page took too much memory"),
    "not-a-feed": N_("Neither a sitemap nor a feed"),
    "not-a-search": N_("Not a search result"),
    "engine-refuses": N_("The search engine refused"),
    "login-elsewhere": N_("The login would have gone to another site"),
    "unstorable": N_("The database cannot store the content of the page"),
    "address": N_("The address cannot be requested"),
    "soft-404": N_("The page says that its content does not exist"),
    "front-page": N_("The address leads to the site's front page"),
    "redirect": N_("The address leads to another page"),
    "wants-login": N_("The site asks for a login"),
    "paywall": N_("The site asks for a login or for money to read on"),
    "no-front-page": N_("The front page of the site may be a substitute"),
    "site-down": N_("Not found, but no other page of the site was available either"),
    "not-asked": N_("The round ended before the address was requested"),
    "not-compared": N_("Different text, not compared yet"),
    "vanished": N_("Gone; earlier matches remain in the cases"),
    "expression": N_("The source's expression takes too long on this page"),
    "internal-error": N_("pindna failed; see its log"),
}
HTTP_STATUS = N_("HTTP status {status}")
OTHER = N_("Another failure ({name})")


def reason_label(reason: str) -> tuple[str, dict[str, str]]:
    """Return the label of a reason and the values in it; an unknown reason is its own label.

    >>> reason_label("http-404"), reason_label("other: Odd")[1], reason_label("none of ours")
    (('HTTP status {status}', {'status': '404'}), {'name': 'Odd'}, ('none of ours', {}))
    """
    kind, _, status = reason.partition("-")
    if kind == "http" and status.isdecimal():
        return HTTP_STATUS, {"status": status}
    if reason.startswith("other: "):
        return OTHER, {"name": reason.removeprefix("other: ")}
    return REASONS.get(reason, reason), {}
