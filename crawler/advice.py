"""What a user can do about a download that failed."""

from typing import Final

_ADVICE: Final = {
    "robots": "Its robots.txt forbids the crawl; ask the site, or remove the source.",
    "robots-unreachable": "Without its robots.txt nothing is asked for; crawl again once the site answers.",
    "inner-address": (
        "Inner addresses are refused; if it is the source's own, name it in crawler.allow_inner."
    ),
    "login": "Correct the source's login: its address, its fields, or the words to check for.",
    "login-elsewhere": (
        "Its form would send the login to another site, or without TLS; correct the source's login."
    ),
}


def advice_on(reason: str) -> str:
    """Return what the user can do about a failed download."""
    if reason.startswith("http-4"):
        return "Correct the address of the source."
    return _ADVICE.get(reason, "Check the address and the network, then crawl again.")
