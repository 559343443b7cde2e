"""Where a site has its texts: learnt, taken back and used again in the real database."""

import pytest

from crawler.extraction.template import PageForm
from crawler.pages.template_learning import TemplateLearner
from storage.collections.templates import HostTemplate
from system.errors import UnknownRecord

pytestmark = pytest.mark.services
HOST = "x.example:8080"


def learn(stores, numbers):
    learner = TemplateLearner()
    for number in numbers:
        paths = ("div#text > p.a", "div#text") if number % 2 else ("div#text",)
        learner.add(HOST, f"正文{number}", PageForm(paths, {7: "候鸟飞过湿地。", number << 55: "渡口。"}))
    learner.store(stores.templates)
    return stores.templates.of_host(HOST)


def test_learnt_container_is_stored_and_an_analyst_disables_it(stores):
    assert stores.templates.of_host(HOST) == HostTemplate()
    template = learn(stores, range(1, 4))
    (container,) = template.containers
    assert (container.path, container.pages, container.is_used) == ("div#text", 3, True)
    assert (template.used, template.frame_hashes) == ({"div#text"}, {7})
    assert template.sample[0].paths == ("div#text > p.a", "div#text")
    assert template.sample[2].outside == {7, 3 << 55}

    assert stores.templates.use(HOST, container.id, used=False) == container
    again = learn(stores, range(4, 7))
    assert [(learnt.pages, learnt.is_used, learnt.first_seen) for learnt in again.containers] == [
        (6, False, container.first_seen)
    ]
    assert again.used == frozenset()
    stores.templates.use(HOST, container.id)
    assert stores.templates.of_host(HOST).used == {"div#text"}
    assert stores.templates.of_host("y.example") == HostTemplate()
    assert stores.templates.hosts_among(["y.example", HOST], limit=9) == [HOST]


def test_unknown_container_is_refused(stores):
    with pytest.raises(UnknownRecord):
        stores.templates.use(HOST, "00")
