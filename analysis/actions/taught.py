"""What the pages of a site taught, corrected by people: sentences kept, places of texts ignored."""

from collections.abc import Mapping

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import note_act
from tracker.runtime import Runtime


def keep_repeated(identity: Identity, runtime: Runtime, host: str, repeat_id: str, *, kept: bool) -> None:
    """Have a sentence that a host repeats kept in its texts from now on, or left out again.

    Raises:
        NotPermitted: this one may not.
        UnknownRecord: the host repeats no such sentence.
    """
    identity.require("sources:write")
    repeat = runtime.stores.repeats.set_kept(host, repeat_id, kept=kept)
    act = "keep-repeated" if kept else "leave-out-repeated"
    _note_switch(identity, runtime, act, host, {"kept": kept}, text=repeat.text)


def use_container(identity: Identity, runtime: Runtime, host: str, container: str, *, used: bool) -> None:
    """Give a place of a host's texts a say in them from now on, or take it back.

    Raises:
        NotPermitted: this one may not.
        UnknownRecord: the host has no place of that id.
    """
    identity.require("sources:write")
    template = runtime.stores.templates.use(host, container, used=used)
    act = "use-place" if used else "ignore-place"
    _note_switch(identity, runtime, act, host, {"used": used}, path=template.path)


def _note_switch(
    identity: Identity, runtime: Runtime, act: str, host: str, switch: Mapping[str, bool], **about: str
) -> None:
    """Write down that something that a host taught was switched.

    Args:
        identity: did it.
        runtime: the stores.
        act: what was done.
        host: taught it.
        switch: its name and its new position.
        about: what was switched.
    """
    before = {name: not is_on for name, is_on in switch.items()}
    after = {**switch, **about}
    note_act(identity, runtime, act, f"site {host}", kind="source-saved", before=before, after=after)
