"""What a user can do about a download that failed."""


def advice_on(reason: str) -> str:
    """Return what the user can do about a failed download."""
    if reason == "robots":
        return "Its robots.txt forbids the crawl; ask the site, or remove the source."
    if reason == "inner-address":
        return "Inner addresses are refused; if it is the source's own, name it in crawler.allow_inner."
    if reason == "login":
        return "Correct the source's login: its address, its fields, or the words to check for."
    if reason == "login-elsewhere":
        return "Its form would send the login to another site, or without TLS; correct the source's login."
    if reason.startswith("http-4"):
        return "Correct the address of the source."
    return "Check the address and the network, then crawl again."
