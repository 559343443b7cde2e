"""``pindna evidence``: packages that are made, and keys that change."""

from support.commands_that_act import Act

from analysis.evidence import package
from analysis.evidence.keys import signing_key
from storage.records import utc_now


def _without_a_printer(world):
    world.patch.setattr(package, "print_pdf", lambda *_, **__: b"%PDF")


def _with_a_key(world):
    signing_key(world.settings, world.stores.evidence_keys, now=utc_now())


ACTS = (
    Act("evidence export", ("c1",), _without_a_printer, status=4),  # pages of the world have no captures
    Act("evidence key rotate", (), _with_a_key),
)
READS = (
    "evidence log receipts",
    "evidence verify",
    "evidence log status",
    "evidence log show",
    "evidence log verify",
    "evidence key show",
)
