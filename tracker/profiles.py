"""Profiles: the thresholds of a verdict as data, named and versioned.

A stored match names the profile and version it was judged by; changing a number means a new version.
"""

from dataclasses import dataclass

from storage.records import WorkKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Thresholds of a verdict. Lengths are characters, shares are in [0, 1].

    Attributes:
        name, version: go into every match as ``name@version``.
        copy_passage_coverage: at least this share of the passage is in the page: a copy.
        copy_coverage: at least this share of the page is copied: a copy too …
        copy_chars: … when that is at least so many characters; …
        short_coverage: … with fewer, this share of the page must be copied.
        short_chars: with fewer copied characters than this, nothing is called a copy.
        partial_chars: this many copied characters are more than a quotation.
        partial_coverage, partial_coverage_chars: so is this share of the page, when it has this many.
        quote_chars: fewer copied characters are a set phrase, not a quotation, …
        phrase_coverage: … unless they are this share of the page.
        common_works: a stretch found in this many works is common property.
        common_chars: but only when it is shorter than this.
        reliable_chars: pages with fewer characters are judged with low confidence.
    """

    name: str
    version: int
    copy_coverage: float = 0.6
    copy_passage_coverage: float = 0.8
    copy_chars: int = 150
    short_coverage: float = 0.85
    short_chars: int = 40
    partial_chars: int = 300
    partial_coverage: float = 0.2
    partial_coverage_chars: int = 120
    quote_chars: int = 40
    phrase_coverage: float = 0.5
    common_works: int = 4
    common_chars: int = 100
    reliable_chars: int = 300

    @property
    def id(self) -> str:
        """``name@version``."""
        return f"{self.name}@{self.version}"


# News is short and quoted by custom: a lower share of a page already replaces the original.
PROFILES: dict[WorkKind, Profile] = {
    "news": Profile(name="news", version=1, copy_coverage=0.55, partial_chars=240),
    "novel": Profile(name="novel", version=1),
}
