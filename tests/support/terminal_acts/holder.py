"""``pindna holder`` and ``pindna licence``: rights holders, and who may publish their works."""

from support.commands_that_act import Act

from storage.records import Holder, SiteLicence
from tracker.judgement.licences import grant


def _stored(world):
    world.stores.holders.save(Holder(name="青灯出版社"))


def _licensed(world):
    work = world.stores.works.get_many([1])[1]
    grant(work, SiteLicence(site="one.cn"), world.stores, replace=False)


ACTS = (
    Act("holder add", ("青灯出版社", "--phone", "1")),
    Act("holder set", ("青灯出版社", "--phone", "1"), _stored),
    Act("holder remove", ("青灯出版社", "--yes"), _stored),
    Act("licence add", ("id:1", "one.cn", "--no-wait")),
    Act("licence remove", ("id:1", "one.cn", "--yes", "--no-wait"), _licensed),
)
READS = ("holder list", "holder show", "licence list")
