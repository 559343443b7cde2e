"""``pindna notice``: letters about cases."""

from support.commands_that_act import Act
from support.letters import NOW, stored_notice

from analysis.cases.moves import move
from analysis.notices import sending
from analysis.notices.mail import write_mail

_PEOPLE = {"sender": ("青灯文化", "legal@qingdeng.example"), "to": ("某某网络", "notice@copy.example")}
_MAIL = {"subject": "侵权通知书", "text": "正文\n", "attachments": (), "message_id": "<n@pindna.invalid>"}
_ON = {
    "PINDNA_ANALYSIS__NOTICES__SEND": "true",
    "PINDNA_ANALYSIS__NOTICES__SMTP_HOST": "127.0.0.1",
    "PINDNA_ANALYSIS__NOTICES__SMTP_SECURITY": "none",
    "PINDNA_ANALYSIS__NOTICES__SENDER": "legal@qingdeng.example",
}


def _confirmed(world):
    move(world.stores.cases.get("c1"), world.stores, to="confirmed", by="the tests", reason="", at=NOW)


def _stored(world, **fields):
    """Store a notice about c1; returns its name."""
    _confirmed(world)
    mail = write_mail(**_PEOPLE, **_MAIL, made=NOW)
    return [stored_notice(world.stores, world.folder, mail, case=1, site="one.cn", **fields).name]


def _ready(world):
    """Store a notice, and let every mail be taken."""
    world.patch.setattr(sending, "deliver", lambda *_, **__: "250 kept")
    name = _stored(world)
    return [*name, "--yes", *name]


def _sent(world):
    return [*_stored(world, state="sent", sent=NOW, reply_due=NOW), "refused"]


def _filled(world):
    return [*_stored(world), "baidu"]


def _uncertain(world):
    return [*_stored(world), "sent", "--because", "by post"]


ACTS = (
    Act("notice make", ("c1", "--draft"), _confirmed),
    Act("notice form", (), _filled),
    Act("notice send", (), _ready, environment=_ON),
    Act("notice resolve", (), _uncertain),
    Act("notice reply", (), _sent),
)
READS = ("notice forms", "notice list", "notice show")
