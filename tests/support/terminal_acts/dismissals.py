"""``pindna dismiss`` and ``pindna dismissals``."""

from support.commands_that_act import Act

from storage.records import Decision


def _dismissed(world):
    """Dismiss a stretch of a work on a site; returns the id of the dismissal."""
    dismissal = Decision(
        id="1:0-9@one.cn",
        state="dismissed",
        site="one.cn",
        work_id=1,
        passage_id=1,
        passage_sha256="s1",
        start=0,
        end=9,
        because="ours",
        by="the tests",
    )
    world.stores.decisions.save_unless_decided([dismissal], {})
    return [dismissal.id]


PENDING = "its commands do not act through analysis.actions yet"
ACTS = (
    Act("dismiss", ("m1", "--because", "ours")),
    Act("dismissals remove", ("--yes",), _dismissed),
)
READS = ("dismissals list",)
