"""``pindna watch``: what is asked now."""

from support.commands_that_act import Act

from analysis.cases.moves import move
from storage.records import utc_now


def _confirmed(world):
    move(world.stores.cases.get("c1"), world.stores, to="confirmed", by="the tests", reason="", at=utc_now())


ACTS = (Act("watch now", ("c1",), _confirmed, status=4),)
READS = ("watch list",)
