"""``pindna review``: what is said of matches."""

from support.commands_that_act import Act
from support.rulings import dismiss


def _dismissed(world):
    dismiss(world.stores.matches.get("m1"), world.stores, reason="ours", by="the tests")


ACTS = (
    Act("review confirm", ("m1",)),
    Act("review dismiss", ("--site", "one.cn", "--because", "ours", "--yes")),
    Act("review doubt", ("m1", "--because", "who knows")),
    Act("review reopen", ("m1",), _dismissed),
    Act("review next", (), stdin="c\nq\n", is_terminal=True),
)
READS = ("review list", "review show")
