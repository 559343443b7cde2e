"""Correct what was learnt from the pages of a site: repeated sentences and containers of texts."""

from collections.abc import Mapping

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action
from tracker.runtime import Runtime


def keep_repeated(identity: Identity, runtime: Runtime, host: str, repeat_id: str, *, kept: bool) -> None:
    """Keep a sentence that a host repeats in the texts of its pages from now on, or remove it again.

    Raises:
        NotPermitted: the user lacks the permission.
        UnknownRecord: the host repeats no such sentence.
    """
    identity.require("sources:write")
    repeat = runtime.stores.repeats.set_kept(host, repeat_id, kept=kept)
    act = "keep-repeated" if kept else "leave-out-repeated"
    _record_switch(identity, runtime, act, host, {"kept": kept}, text=repeat.text)


def use_container(identity: Identity, runtime: Runtime, host: str, container: str, *, used: bool) -> None:
    """Use a learnt container of a host for the extraction of its texts from now on, or stop using it.

    Raises:
        NotPermitted: the user lacks the permission.
        UnknownRecord: the host has no container with that id.
    """
    identity.require("sources:write")
    template = runtime.stores.templates.use(host, container, used=used)
    act = "use-place" if used else "ignore-place"
    _record_switch(identity, runtime, act, host, {"used": used}, path=template.path)


def _record_switch(
    identity: Identity, runtime: Runtime, act: str, host: str, switch: Mapping[str, bool], **about: str
) -> None:
    """Record that something learnt from a host was enabled or disabled.

    Args:
        identity: the user or program that acted.
        runtime: the stores.
        act: name of the action.
        host: the host.
        switch: name of the changed field → its new value.
        about: further data about the changed object.
    """
    before = {name: not is_on for name, is_on in switch.items()}
    after = {**switch, **about}
    record_action(identity, runtime, act, f"site {host}", kind="source-saved", before=before, after=after)
