"""``pindna case``: every act is in the audit log, and most are in the history of their case too."""

from support.commands_that_act import Act

from analysis.cases.actions import close
from analysis.cases.moves import move
from storage.records import utc_now

_BY = {"by": "the tests", "at": utc_now()}


def _confirmed(world):
    move(world.stores.cases.get("c1"), world.stores, to="confirmed", reason="", **_BY)


def _notified(world):
    _confirmed(world)
    move(world.stores.cases.get("c1"), world.stores, to="notified", reason="", **_BY)


def _closed(world):
    close(world.stores.cases.get("c1"), world.stores, reason="x", **_BY)


ACTS = (
    Act("case confirm", ("c1",)),
    Act("case dismiss", ("c1", "--because", "ours")),
    Act("case assign", ("c1", "--to", "bo", "--deadline", "2031-01-01")),
    Act("case note", ("c1", "--because", "the site was called")),
    Act("case notify", ("c1", "--on", "2026-03-02"), _confirmed),
    Act("case reply", ("c1", "--answer", "refused", "--because", "no"), _notified),
    Act("case close", ("c1", "--because", "settled")),
    Act("case reopen", ("c1",), _closed),
)
READS = ("case list", "case show", "case history")
