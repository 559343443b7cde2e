"""Update the watch of an address after a look, and schedule the next one. Pure.

A copy is gone after two looks, some time apart, found it absent while another page of its site was up. Looks
in between may have failed, but none may have seen the copy. Absent means that the site reports the page as
gone, or shows another text. A site that does not answer, or answers everything in the same way, is
``unreachable``; this never counts and changes nothing.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from storage.records import Look, Watch
from storage.settings.results import WatchSettings
from system.sites import host_of

SITE_DOWN = "site-down"  # reason: the address is absent, and no other page of its site was up
NOT_ASKED = "not-asked"  # reason: the round ended before the address was checked
NOT_COMPARED = "not-compared"  # reason: the page shows another text, which is not compared yet
# Reasons for a changed page whose text may be in images or need a browser; links alone prove nothing.
_NO_TEXT = frozenset({"empty", "list"})

Evidence = Literal["there", "absent", "nothing", "barred"]


def healthy_hosts(looks: Collection[Look]) -> dict[str, set[str]]:
    """Return the addresses that were up in a round, by host. One address proves that its host answers."""
    well: dict[str, set[str]] = {}
    for look in looks:
        if look.state == "up":
            well.setdefault(host_of(look.url), set()).add(look.url)
    return well


def evidence_of(look: Look, *, is_well: bool) -> tuple[Evidence, str]:
    """Return what a look proves about the copy, and the reason to report.

    Args:
        look: the look.
        is_well: another page of the host was up at that time.
    """
    if look.state in {"up", "moved"}:
        return "there", look.reason
    if look.state == "restricted":
        return "barred", look.reason
    is_absent = look.state == "gone" or (look.state == "changed" and look.reason not in _NO_TEXT)
    if is_absent and is_well:
        return "absent", look.reason
    return "nothing", SITE_DOWN if is_absent else look.reason


def watch_after(watch: Watch, look: Look, *, is_well: bool, rules: WatchSettings) -> Watch:
    """Return the watch of an address after a look. Applying the same look again changes nothing.

    Args:
        watch: the watch before the look.
        look: the look.
        is_well: another page of the host was up at that time.
        rules: the minimum time between two looks that prove a removal.
    """
    if look.id == watch.look_id:
        return watch
    evidence, reason = evidence_of(look, is_well=is_well)
    updated = replace(
        watch, look_id=look.id, looked=look.at, reason=reason, moved_to=look.moved_to, step=watch.step + 1
    )
    if evidence == "there":
        return _watch_after_sighting(updated, look)
    if evidence == "absent":
        return _watch_after_absence(updated, look, rules)
    if evidence == "barred":
        first = watch.first_gone if watch.gone_since else None
        return replace(updated, state="restricted", first_gone=first)
    return replace(updated, state="unreachable")


def _watch_after_sighting(watch: Watch, look: Look) -> Watch:
    is_back = watch.gone_since is not None
    return replace(
        watch,
        state="moved" if look.state == "moved" else "up",
        last_up=look.at,
        first_gone=None,
        gone_since=None,
        confirmed=None,
        returned=look.at if is_back else watch.returned,
        step=0 if is_back else watch.step,
    )


def _watch_after_absence(watch: Watch, look: Look, rules: WatchSettings) -> Watch:
    first = watch.first_gone or look.at
    is_certain = watch.gone_since is not None or look.at - first >= timedelta(seconds=rules.confirm_s)
    if not is_certain:
        return replace(watch, first_gone=first, moved_to="")
    return replace(
        watch,
        state="changed" if look.state == "changed" else "gone",
        first_gone=first,
        gone_since=watch.gone_since or first,
        confirmed=watch.confirmed or look.at,
        moved_to="",
    )


def due_after(watch: Watch, rules: WatchSettings, *, now: datetime) -> datetime:
    """Return when an address is due next: soon if one more look gives certainty, else by the schedule.

    Args:
        watch: the watch after its last look.
        rules: the schedule.
        now: used for an address without any look.
    """
    last = watch.looked or now
    if watch.reason in {NOT_ASKED, NOT_COMPARED}:
        return last + interval(0, rules)
    if watch.first_gone is not None and watch.gone_since is None:
        return max(last, watch.first_gone + timedelta(seconds=rules.confirm_s))
    return last + interval(watch.step, rules)


def interval(step: int, rules: WatchSettings) -> timedelta:
    """Return the time between two looks at a step of the schedule. The last step repeats."""
    return timedelta(hours=rules.schedule_h[min(step, len(rules.schedule_h) - 1)])


def last_look(watches: Iterable[Watch]) -> datetime | None:
    """Return the time of the last look at any of the addresses."""
    return max((watch.looked for watch in watches if watch.looked), default=None)
