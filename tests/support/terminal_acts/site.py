"""``pindna site``: what sites taught, switched by hand, and whom to write to."""

from support.commands_that_act import Act

from storage.collections.contacts import contact_id
from storage.collections.repeats import Repeat, repeat_id
from storage.collections.templates import LearntContainer
from storage.records import Contact


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


ACTS = (
    Act("site repeated", ("www.one.cn",), _taught),
    Act("site template", ("www.one.cn",), _laid_out),
    Act("site contact set", ("one.cn", "--phone", "1")),
    Act("site contact remove", ("one.cn",), _contact),
)
READS = ("site contact list",)
