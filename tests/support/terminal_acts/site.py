"""``pindna site``: what sites taught, switched by hand, and whom to write to."""

from support.commands_that_act import Act

from storage.collections.contacts import contact_id
from storage.collections.repeats import Repeat, repeat_id
from storage.collections.templates import LearntContainer
from storage.records import Contact, Proposal, SiteLookup, utc_now


def _taught(world):
    """Let a host repeat a sentence; returns the option that keeps it."""
    slogan = Repeat(id=repeat_id(7), hash=7, text="天下第一站。", texts=9)
    world.stores.repeats.learn("www.one.cn", sample={}, repeats=[slogan])
    return ["--keep", slogan.id]


def _laid_out(world):
    container = LearntContainer(path="/main", pages=9)
    world.stores.templates.learn("www.one.cn", sample=[], containers=[container], frame=[])
    return ["--ignore", container.id]


def _contact(world):
    world.stores.contacts.save(Contact(id=contact_id("site", "one.cn"), role="site", site="one.cn"))


def _proposal(world):
    """Look a site up; returns the id of its proposal."""
    proposal = Proposal(
        id="a1b2c3d4", step="pages", subject="site", kind="email", value="a1@one.cn", source="http://one.cn/"
    )
    lookup = SiteLookup(id="one.cn", at=utc_now(), by="me", pages_read=1, results=(), proposals=(proposal,))
    world.stores.site_lookups.save(lookup)
    return [proposal.id]


ACTS = (
    Act("site repeated", ("www.one.cn",), _taught),
    Act("site template", ("www.one.cn",), _laid_out),
    Act("site contact set", ("one.cn", "--phone", "1")),
    Act("site contact confirm", ("one.cn",), _proposal),
    Act("site lookup", ("one.cn",)),
    Act("site contact remove", ("one.cn",), _contact),
)
READS = ("site contact list",)
