"""What a look changes of what the watch knows of an address, and when it is asked next. Pure.

A copy is gone when two looks, some time apart, found it absent while another page of its site was up; in
between it may have been out of reach, but it was not seen. Absent is what the site says is gone, and another
text in its place. A site that answers nothing, or everything, in the same way is out of reach:
``unreachable`` never counts, and takes nothing back.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from storage.records import Look, Watch
from storage.settings.results import WatchSettings
from system.sites import host_of

SITE_DOWN = "site-down"  # reason: the address is absent, and no other page of its site was up
NOT_ASKED = "not-asked"  # reason: the round ended before its turn came
NOT_COMPARED = "not-compared"  # reason: another text stands there, and whether it is a copy is not known yet
# Reasons of another page whose text may be in pictures, or need a browser: links alone say nothing of it.
_NO_TEXT = frozenset({"empty", "list"})

Evidence = Literal["there", "absent", "nothing", "barred"]


def healthy_hosts(looks: Collection[Look]) -> dict[str, set[str]]:
    """Return the addresses that were up in a round, by host; one of a host shows that the others can be."""
    well: dict[str, set[str]] = {}
    for look in looks:
        if look.state == "up":
            well.setdefault(host_of(look.url), set()).add(look.url)
    return well


def evidence_of(look: Look, *, is_well: bool) -> tuple[Evidence, str]:
    """Return what a look proves of the copy, and the reason to be told.

    Args:
        look: at its address.
        is_well: another page of the same host was up at that time.
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
    """Return what is known of an address after another look; after the same one nothing changes.

    Args:
        watch: before the look.
        look: at its address.
        is_well: another page of the same host was up at that time.
        rules: how far apart two looks must be that make it gone.
    """
    if look.id == watch.look_id:
        return watch
    evidence, reason = evidence_of(look, is_well=is_well)
    updated = replace(
        watch, look_id=look.id, looked=look.at, reason=reason, moved_to=look.moved_to, step=watch.step + 1
    )
    if evidence == "there":
        return _there(updated, look)
    if evidence == "absent":
        return _absent(updated, look, rules)
    if evidence == "barred":
        first = watch.first_gone if watch.gone_since else None
        return replace(updated, state="restricted", first_gone=first)
    return replace(updated, state="unreachable")


def _there(watch: Watch, look: Look) -> Watch:
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


def _absent(watch: Watch, look: Look, rules: WatchSettings) -> Watch:
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
    """Return when an address is asked next: soon where one more look makes it certain, else by the schedule.

    Args:
        watch: after its last look.
        rules: the schedule.
        now: for an address that was never looked at.
    """
    last = watch.looked or now
    if watch.reason in {NOT_ASKED, NOT_COMPARED}:
        return last + interval(0, rules)
    if watch.first_gone is not None and watch.gone_since is None:
        return max(last, watch.first_gone + timedelta(seconds=rules.confirm_s))
    return last + interval(watch.step, rules)


def interval(step: int, rules: WatchSettings) -> timedelta:
    """Return the time between two looks at a place of the schedule, whose last one repeats."""
    return timedelta(hours=rules.schedule_h[min(step, len(rules.schedule_h) - 1)])


def last_look(watches: Iterable[Watch]) -> datetime | None:
    """Return when any of some addresses was looked at last."""
    return max((watch.looked for watch in watches if watch.looked), default=None)
