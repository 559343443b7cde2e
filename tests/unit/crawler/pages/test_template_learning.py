"""What a crawl keeps of the pages of a host to learn its template."""

from types import SimpleNamespace

from crawler.extraction.template import SAMPLE_FORMS, PageForm
from crawler.pages.template_learning import TemplateLearner
from storage.collections.templates import HostTemplate

HOST = "x.example"


class Kept:
    """A store of templates in memory."""

    def __init__(self):
        self.known = {}

    def of_host(self, host):
        return self.known.get(host, HostTemplate())

    def learn(self, host, *, sample, containers, frame):
        self.known[host] = HostTemplate(tuple(sample), tuple(containers), tuple(frame))


def form(*paths, outside=()):
    return PageForm(paths, {number: f"第{number}句。" for number in outside})


def crawl(templates, forms, *, first=0):
    learner = TemplateLearner()
    for number, item in enumerate(forms, first):
        learner.add(HOST, f"正文{number}", item)
    learner.store(templates)
    return templates.of_host(HOST)


def test_crawls_learn_together():
    templates = Kept()
    assert crawl(templates, [form("div#text", outside=[1, 2])] * 2).containers == ()
    stored = crawl(templates, [form("div#text", outside=[2])], first=2)
    assert [(container.path, container.pages) for container in stored.containers] == [("div#text", 3)]
    assert [(line.hash, line.text, line.pages) for line in stored.frame] == [(2, "第2句。", 3)]
    later = crawl(templates, [form("div#text", outside=[9])], first=3)
    assert later.containers[0].first_seen == stored.containers[0].first_seen
    assert [line.text for line in later.frame] == ["第2句。"]


def test_same_text_again_is_the_same_page():
    templates = Kept()
    for _ in range(3):
        stored = crawl(templates, [form("div#text")])
    assert (len(stored.sample), stored.containers) == (1, ())


def test_only_the_newest_pages_count():
    templates = Kept()
    crawl(templates, [form("div.old")] * 5)
    stored = crawl(templates, [form("div.new")] * SAMPLE_FORMS, first=5)
    assert len(stored.sample) == SAMPLE_FORMS
    assert stored.used == {"div.new"}
    many = crawl(Kept(), [form("div.new")] * (SAMPLE_FORMS + 9))
    assert len(many.sample) == SAMPLE_FORMS


def test_page_that_is_not_certain_teaches_nothing():
    refused = SimpleNamespace(of_host=None, learn=None)  # nobody asks it
    learner = TemplateLearner()
    learner.add(HOST, "正文", None)
    learner.store(refused)
