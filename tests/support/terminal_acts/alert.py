"""``pindna alert``: what is sent by hand."""

from support.commands_that_act import Act

from analysis.alerts import overview

_SETTINGS = """
[analysis.alerts.addressees.ops]
webhook = "${PINDNA_SECRET_OPS}"
secret = "${PINDNA_SECRET_KEY}"
"""
_SECRETS = {
    "PINDNA_SECRET_OPS": "http://127.0.0.1:9/hook",
    "PINDNA_SECRET_KEY": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
}


def _addressee(world):
    (world.folder / "pindna.toml").write_text(_SETTINGS, encoding="utf-8")
    world.patch.setattr(overview, "deliver", lambda *_, **__: "HTTP 204")


ACTS = (
    Act("alert test", ("ops",), _addressee, environment=_SECRETS),
    Act("alert outbox", ("--retry",)),
)
READS = ("alert list",)
