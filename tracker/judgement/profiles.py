"""Profiles: named and versioned thresholds of a verdict.

A stored match records the profile and version that judged it. A changed number means a new version, and the
earlier ones stay here. Custom profiles are in ``pindna.toml`` (``[tracker.profiles.NAME]``) and list their
changes to another profile.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace

from storage.records import WorkKind
from storage.settings import TrackerSettings
from system.errors import BadSettings, PindnaError
from system.messages import N_, Message


class BadThreshold(PindnaError):
    """A threshold is unknown or out of its range.

    Attributes:
        name: the name as given.
        value: the value.
    """

    template = (
        "“{name}={value}” is not a threshold: shares are between 0 and 1, lengths are whole "
        "numbers from 0. `pindna profile show` lists all thresholds."
    )


class UnknownProfile(PindnaError):
    """There is no such profile.

    Attributes:
        name: the name as given.
    """

    template = (
        "There is no profile {name}. `pindna profile list` shows the current profiles; write an "
        "earlier version like novel@2."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Thresholds of a verdict. Lengths are characters, shares are in [0, 1].

    Attributes:
        name, version: go into every match as ``name@version``.
        copy_passage_coverage: at least this share of the passage is in the page: a copy.
        copy_coverage: at least this share of the page is copied: a copy too …
        copy_chars: … when that is at least so many characters; …
        short_coverage: … with fewer, this share of the page must be copied.
        short_chars: with fewer copied characters than this, nothing is called a copy or a partial one.
        stub_chars: a shorter passage of a longer work counts as one of this length.
        partial_chars: this many copied characters are more than a quotation.
        partial_coverage, partial_passage_coverage: so is this share of the page, or of the passage, …
        partial_coverage_chars: … when it has this many; …
        partial_short_coverage: … with fewer, this share of the page or of the passage must be copied.
        quote_chars: fewer copied characters are a set phrase, not a quotation, …
        phrase_coverage, phrase_passage_coverage: … unless they are this share of the page or of the passage.
        pieced_quote_chars: of each work that a page takes something from, so many characters are a quotation;
            what is beyond that counts together, by shares of the page as from one work, …
        pieced_chars: … and this many of them are more than quotations, at any share.
        common_works: a stretch found in this many unrelated texts is common property.
        common_chars: but only when it is shorter than this, …
        common_passage_coverage: … and less than this share of the passage is in the page, as it is.
        character_bits: a character counts fully if it carries so many bits of information, else in
            proportion; 0: every character counts fully.
        form_bits: text with fewer bits a character is set wording.
        form_identity: set wording in which a smaller share of the characters agrees is a form that each
            author filled in; it is a quotation at most.
        reworded_identity: where a smaller share of the characters agrees and the rest is in natural words,
            the page retells the passage; 0: every agreement counts as copied.
        contained_share: a work of which the page has this share is listed as also contained, if better works
            are charged with its text; 0: it is not listed.
        reliable_chars: pages with fewer characters are judged with low confidence.
    """

    name: str
    version: int
    copy_coverage: float = 0.6
    copy_passage_coverage: float = 0.8
    copy_chars: int = 150
    short_coverage: float = 0.85
    short_chars: int = 40
    stub_chars: int = 600
    partial_chars: int = 240
    partial_coverage: float = 0.2
    partial_passage_coverage: float = 0.4
    partial_coverage_chars: int = 120
    partial_short_coverage: float = 0.7
    quote_chars: int = 40
    phrase_coverage: float = 0.5
    phrase_passage_coverage: float = 0.65
    pieced_quote_chars: int = 40
    pieced_chars: int = 720
    common_works: int = 4
    common_chars: int = 100
    common_passage_coverage: float = 0.8
    character_bits: int = 0  # the default is the value of versions before 4, which old evidence contains
    form_bits: int = 0
    form_identity: float = 0.95
    reworded_identity: float = 0.0  # the default is the value of versions before 5
    contained_share: float = 0.0  # the default is the value of versions before 6
    reliable_chars: int = 300

    @property
    def id(self) -> str:
        """``name@version``."""
        return f"{self.name}@{self.version}"

    def with_thresholds(self, changes: Mapping[str, object]) -> "Profile":
        """Return the profile with other thresholds.

        Raises:
            BadThreshold: a name or a value is not valid.
        """
        checked = {name: _threshold(name, value) for name, value in changes.items()}
        return Profile(**(asdict(self) | checked))


_PRESENT = Profile(
    name="novel", version=6, character_bits=4, form_bits=2, reworded_identity=0.85, contained_share=0.6
)
# News is short and quoted by custom: a lower share of a page already replaces the original.
PROFILES: dict[WorkKind, Profile] = {
    "news": replace(_PRESENT, name="news", copy_coverage=0.55),
    "novel": _PRESENT,
}

_NO_SHARE = 2.0  # a share that no match can reach
_NO_CHARS = 10**9
_NOVEL_2 = Profile(  # this version judged only copies, and one work at a time
    name="novel",
    version=2,
    stub_chars=0,
    partial_chars=300,
    partial_passage_coverage=_NO_SHARE,
    partial_short_coverage=_NO_SHARE,
    phrase_passage_coverage=_NO_SHARE,
    pieced_quote_chars=_NO_CHARS,
    pieced_chars=_NO_CHARS,
    common_passage_coverage=_NO_SHARE,
)
_NEWS_2 = replace(_NOVEL_2, name="news", copy_coverage=0.55, partial_chars=240)

# Earlier versions by their ids, which stored matches name. Version 1 had the numbers of version 2. Going back
# from the present version, 5 had no works that are also contained, 4 no retellings, and 3 no information.
EARLIER: dict[str, Profile] = {
    profile.id: profile
    for second, present in ((_NEWS_2, PROFILES["news"]), (_NOVEL_2, PROFILES["novel"]))
    for profile in (
        replace(second, version=1),
        second,
        replace(
            present, version=3, character_bits=0, form_bits=0, reworded_identity=0.0, contained_share=0.0
        ),
        replace(present, version=4, reworded_identity=0.0, contained_share=0.0),
        replace(present, version=5, contained_share=0.0),
    )
}


def thresholds() -> dict[str, type[float] | type[int]]:
    """Return the names of all thresholds with their types: ``float`` is a share, ``int`` a number."""
    return {
        field.name: float if isinstance(field.default, float) else int
        for field in fields(Profile)
        if field.name not in ("name", "version")
    }


def _threshold(name: str, value: object) -> float | int:
    """Return a threshold's value converted to its type.

    Raises:
        BadThreshold: the value is not valid.
    """
    kind = thresholds().get(name)
    try:
        number = float(str(value))
    except ValueError as error:
        raise BadThreshold(name=name, value=value) from error
    if kind is None or isinstance(value, bool) or not number >= 0:
        raise BadThreshold(name=name, value=value)
    if (kind is float and number > 1) or (kind is int and number != int(min(number, 1e9))):
        raise BadThreshold(name=name, value=value)
    return kind(number)


def all_profiles(settings: TrackerSettings) -> dict[str, Profile]:
    """Return the built-in profiles and those of the settings, by name.

    Raises:
        BadSettings: a profile in the settings is wrong.
    """
    profiles = {profile.name: profile for profile in PROFILES.values()}
    for name, overrides in settings.profiles.items():
        where = f"tracker.profiles.{name}"
        values = dict(overrides)
        base, version = str(values.pop("base", "novel")), values.pop("version", 1)
        if name in profiles:
            raise BadSettings(where=where, problem=N_("the name belongs to a built-in profile"))
        every_profile = profiles | EARLIER
        if base not in every_profile:
            missing = Message(N_("there is no profile “{name}” above it to start from"), {"name": base})
            raise BadSettings(where=where, problem=missing)
        if not isinstance(version, int) or version < 1:
            raise BadSettings(where=where, problem=N_("version is not a whole number of at least 1"))
        try:
            changed = every_profile[base].with_thresholds(values)
        except BadThreshold as error:
            raise BadSettings(where=where, problem=error) from error
        profiles[name] = replace(changed, name=name, version=version)
    return profiles


def chosen_profiles(settings: TrackerSettings) -> dict[WorkKind, Profile]:
    """Return the profile of each kind of work; it may be an earlier version, selected by its id.

    Raises:
        BadSettings: a profile in the settings is wrong or missing.
    """
    every_profile = all_profiles(settings) | EARLIER
    chosen: dict[WorkKind, str] = {"news": settings.news_profile, "novel": settings.novel_profile}
    for kind, name in chosen.items():
        if name not in every_profile:
            missing = Message(N_("there is no profile “{name}”"), {"name": name})
            raise BadSettings(where=f"tracker.{kind}_profile", problem=missing)
    return {kind: every_profile[name] for kind, name in chosen.items()}


def rules_of(profiles: Mapping[WorkKind, Profile]) -> str:
    """Return a digest of the thresholds that pages are judged by, sixteen hexadecimal digits."""
    text = json.dumps({kind: asdict(profile) for kind, profile in profiles.items()}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def profile_called(name: str, settings: TrackerSettings) -> Profile:
    """Return a profile by its name, with or without ``@version``; an earlier version by its id.

    Raises:
        UnknownProfile: there is none.
        BadSettings: a profile in the settings is wrong.
    """
    profiles = all_profiles(settings)
    by_name = profiles | {profile.id: profile for profile in profiles.values()} | EARLIER
    if name not in by_name:
        raise UnknownProfile(name=name)
    return by_name[name]


def with_profiles(
    profiles: Mapping[WorkKind, Profile], names: Iterable[str], settings: TrackerSettings
) -> dict[WorkKind, Profile]:
    """Replace profiles: a built-in one replaces that of its kind, a custom one those of all kinds.

    Args:
        profiles: by the kind of work.
        names: as for :func:`profile_called`; later ones override earlier ones.
        settings: the source of custom profiles.

    Raises:
        UnknownProfile: there is none of that name.
        BadSettings: a profile in the settings is wrong.
    """
    changed = dict(profiles)
    for name in names:
        profile = profile_called(name, settings)
        kinds: list[WorkKind] = [kind for kind in PROFILES if kind == profile.name] or list(PROFILES)
        changed.update(dict.fromkeys(kinds, profile))
    return changed
