"""``pindna alert`` and ``pindna settings``: what is sent by hand, and what is stored."""

import json

from support.commands_that_act import Act

from analysis.alerts import overview
from storage.records import utc_now
from storage.records.stored_settings import StoredEntry, StoredSettings

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


def _stored_addressee(world):
    value = json.dumps({"lin": {"address": "${PINDNA_SECRET_OPS}"}})
    name = "analysis.alerts.addressees"
    entry = StoredEntry(name=name, value=value, revision=1, by="the tests", at=utc_now())
    world.stores.stored_settings.replace(StoredSettings(values=(entry,)), expected=0)


ACTS = (
    Act("alert add", ("lin",), stdin="wecombot://key\n"),
    Act("alert remove", ("lin",), _stored_addressee),
    Act("settings set", ("analysis.alerts.quiet", "22:00-07:30")),
    Act("alert test", ("ops",), _addressee, environment=_SECRETS),
    Act("alert outbox", ("--retry",)),
)
READS = ("alert list", "settings get")
