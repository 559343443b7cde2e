"""Find the infringing addresses that a notice about a case lists."""

from collections.abc import Iterable

from analysis.notices.facts import Infringement
from storage.collections.stores import Stores
from storage.records import Case, Match, meaning_of


def confirmed_matches(case: Case, stores: Stores) -> list[Match]:
    """Return the matches of a case that its notices list."""
    return [match for match in stores.matches.of_case(case.work_id, case.site) if is_listed(match)]


def confirmed_urls(case: Case, stores: Stores) -> set[str]:
    """Return the addresses of the matches that notices about a case may list."""
    return {match.url for match in confirmed_matches(case, stores)}


def is_listed(match: Match) -> bool:
    """Return whether a notice lists a match: it is confirmed.

    A notice says that words were copied, so it never lists a retelling, even if an analyst confirmed it.
    """
    return match.review == "confirmed" and meaning_of(match.verdict).is_verbatim


def infringements_of(case: Case, stores: Stores) -> tuple[tuple[Infringement, ...], int]:
    """Return the addresses not known to be gone, the most copied first, and the number of gone ones."""
    by_url: dict[str, list[Match]] = {}
    for match in confirmed_matches(case, stores):
        by_url.setdefault(match.url, []).append(match)
    up = {url: matches for url, matches in by_url.items() if not _is_gone(url, stores)}
    infringements = [_make_infringement(url, matches, stores) for url, matches in up.items()]
    infringements.sort(key=lambda infringement: (-infringement.copied_chars, infringement.url))
    return tuple(infringements), len(by_url) - len(up)


def _is_gone(url: str, stores: Stores) -> bool:
    looks = stores.looks.of_url(url)
    return bool(looks) and looks[-1].state == "gone"


def _make_infringement(url: str, matches: list[Match], stores: Stores) -> Infringement:
    matches.sort(key=lambda match: -match.copied_chars)
    gravest = matches[0]
    captures = stores.captures.of_url(url)
    last = max(captures, key=lambda capture: capture.fetched, default=None)
    return Infringement(
        url=url,
        title=gravest.page_title,
        passages=tuple(_distinct(match.passage_title or match.work_title for match in matches)),
        copied_chars=sum(match.copied_chars for match in matches),
        outside_chars=sum(match.copied_chars for match in matches if match.part == "rest"),
        coverage=min(1.0, sum(match.coverage for match in matches if match.part == "article")),
        char_identity=gravest.char_identity,
        first_seen=min(match.first_seen for match in matches),
        matches=tuple(match.name for match in matches),
        fetched=last.fetched if last else None,
        sha256=last.sha256 if last else "",
    )


def _distinct(texts: Iterable[str]) -> Iterable[str]:
    return dict.fromkeys(texts)
