"""Undo loads: remove the works that one command or one upload added."""

from analysis.accounts.permissions import Identity
from analysis.actions.works import losses_of, remove
from analysis.queries.loads import Load, first_titles, get_load
from storage.records import Removal, Work, utc_now
from system.errors import PindnaError
from tracker.runtime import Runtime

_COUNTS = ("passages", "matches", "decided", "cases", "dismissals", "captures")


class NothingToUndo(PindnaError):
    """All works of a load contain texts of other loads.

    Attributes:
        load: the load.
        titles: titles of its works.
    """

    code = "nothing-to-undo"
    template = (
        "Load {load} cannot be undone: its texts are in works that contain other texts too ({titles}). "
        "Load the previous files of these works again, or remove the works."
    )


def losses_of_load(identity: Identity, runtime: Runtime, name: str = "last") -> tuple[Load, Removal]:
    """Return a load, and the records that undoing it would remove.

    Raises:
        NotPermitted: the user lacks the permission.
        NoLoad, UnknownRecord: there is no such load.
    """
    identity.require("works:write")
    load = get_load(identity, runtime.stores, name)
    losses = [losses_of(identity, runtime, work.id)[0] for work in load.works]
    sums = {count: sum(getattr(loss, count) for loss in losses) for count in _COUNTS}
    return load, Removal(at=utc_now(), key=load.id, **sums)


def undo_load(identity: Identity, runtime: Runtime, name: str = "last") -> list[Work]:
    """Remove the new works of a load that are still there. Return the removed works.

    A work that contains texts of other loads stays whole. Changes of older works stay.

    Raises:
        NotPermitted: the user lacks the permission.
        NoLoad, UnknownRecord: there is no such load.
        NothingToUndo: the load has no work that can be removed.
    """
    identity.require("works:write")
    load = get_load(identity, runtime.stores, name)
    if not load.works:
        titles = [work.title for work in (*load.kept, *load.changed)]
        raise NothingToUndo(load=load.id, titles=first_titles(titles))
    # A load that runs at the same time may have added chapters to a work since.
    read = runtime.stores.works.get_many([work.id for work in load.works])
    unchanged = [work for work in load.works if read.get(work.id, work).passage_ids == work.passage_ids]
    return [remove(identity, runtime, work.id) for work in unchanged if work.id in read]
