"""What a site repeats is learnt in one crawl, and left out of its texts from the next one on."""

from dataclasses import replace

import pytest
from support.crawl_parts import event_paths
from support.standing import current_pages
from support.webserver import Reply, anchors, article

from storage.records import Passage, Source, Work

pytestmark = pytest.mark.services


SLOGAN = "望江书屋的书友们都在这里等着您回来呢。"


BOOKS = 3


def path_of(number):
    """The address of a chapter; the site has several books."""
    return f"/b/{number % BOOKS}/{number}.html"


def chapters(count, *, slogan=SLOGAN, **headers):
    """Chapters whose last paragraph the site adds to each."""
    pages = {}
    for number in range(1, count + 1):
        page = article(f"第{number}章 渡口", seed=number)
        pages[path_of(number)] = Reply(page.replace("</article>", f"<p>{slogan}</p></article>"), **headers)
    return pages


def newest(stores, site):
    paths = [path for path in site.pages if path != "/b/"]
    return {path: stores.pages.versions(f"{site.url}{path}")[0].text for path in paths}


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({}, id="without validators", marks=pytest.mark.long),
        pytest.param({"ETag": '"one"'}, id="with an ETag"),
    ],
)
def test_repeats_of_a_site_are_learnt_in_a_crawl_and_omitted_in_the_next(stores, crawl, site, headers):
    listed = anchors(*((path_of(number), f"第{number}章 渡口") for number in range(1, 9)))
    site.pages = {"/b/": listed, **chapters(8, **headers)}
    source = Source(name="n", kind="novel", start_urls=(f"{site.url}/b/",))
    _, counts = crawl(source, "s1")
    assert (counts["pages"], counts["event:new"]) == (8, 8)
    before = newest(stores, site)
    assert all(text.endswith(SLOGAN) for text in before.values())
    host = site.url.removeprefix("http://")
    template = stores.templates.of_host(host)  # learnt beside, and no reason to ask for a page again
    assert [(one.path, one.pages) for one in template.containers] == [("article:0", 8)]

    _, counts = crawl(source, "s2")
    after = newest(stores, site)
    assert after == {path: text.removesuffix(f"\n{SLOGAN}") for path, text in before.items()}
    # The site changed nothing, whatever became of the texts; the new versions wait for their comparison.
    assert event_paths(stores, "s2") == []
    assert (counts["unchanged"], counts["read_again"], counts["pages"]) == (8, 8, 0)
    visits = [stores.visits.get(f"{site.url}{path}") for path in after]
    assert {(visit.changes, visit.checks) for visit in visits} == {(0, 2)}
    waiting = [page for page in stores.pages.of_scan("s2") if page.state == "fetched"]
    assert len(waiting) == 8
    # They are the pages of the first crawl, as old as these, and no further versions of them.
    known = {page.id: page for page in stores.pages.all()}
    for page in waiting:
        first = known[page.reread_of]
        assert (page.url, page.first_seen) == (first.url, first.first_seen)
        assert (page.standing, first.standing) == ("current", "replaced")
    assert len(current_pages(stores)) == 8

    _, counts = crawl(source, "s3")
    assert (counts["unchanged"], counts.get("read_again", 0), counts.get("extracted", 0)) == (8, 0, 0)
    assert newest(stores, site) == after

    # An analyst has the sentence kept, and it comes back, without a change of the site's either.
    (repeat,) = stores.repeats.of_host(site.url.removeprefix("http://")).repeats
    stores.repeats.set_kept(site.url.removeprefix("http://"), repeat.id)
    _, counts = crawl(source, "s4")
    assert newest(stores, site) == before
    assert (event_paths(stores, "s4"), counts["failed"]) == ([], 0)


def test_text_changed_while_a_repeat_is_learnt_is_a_change(stores, crawl, site):
    listed = anchors(*((path_of(number), f"第{number}章 渡口") for number in range(1, 9)))
    site.pages = {"/b/": listed, **chapters(8)}
    source = Source(name="n", kind="novel", start_urls=(f"{site.url}/b/",))
    crawl(source, "s1")
    changed = article("第3章 渡口", seed=77).replace("</article>", f"<p>{SLOGAN}</p></article>")
    site.pages[path_of(3)] = Reply(changed)
    site.pages[path_of(4)] = chapters(4, slogan="望江书屋换了一句新的话给书友们看看。")[path_of(4)]
    crawl(source, "s2")
    # The fourth has another slogan, which is not known to be one: a change, as far as can be told.
    assert event_paths(stores, "s2") == [("changed", path_of(3)), ("changed", path_of(4))]


def test_formula_of_a_novel_stays_in_its_chapters(stores, crawl, site):
    """One novel ends every chapter with the formula, and so do three more books of the site from then on."""
    formula = "未知如何，下回分解。"
    listed = anchors(*((path_of(number), f"第{number}章 渡口") for number in range(1, 9)))
    novel = chapters(8, slogan=formula).values()
    alone = {f"/b/7/{number}.html": page for number, page in enumerate(novel, 1)}
    site.pages = {"/b/": anchors(*((path, "第1章 渡口") for path in alone)), **alone}
    source = Source(name="n", kind="novel", start_urls=(f"{site.url}/b/",))
    crawl(source, "s1")
    host = site.url.removeprefix("http://")
    assert stores.repeats.of_host(host).repeats == ()

    site.pages = {"/b/": listed, **chapters(8, slogan=formula)}
    crawl(source, "s2")
    (learnt,) = stores.repeats.of_host(host).repeats
    assert (learnt.text, learnt.is_protected) == (formula, False)
    # Now the novel is protected: its formula is text of a mother work, and is taken out of nothing.
    text = "且说众人看罢，一齐称奇。" + formula
    stores.passages.save_many([Passage(id=1, work_id=1, ordinal=0, title="", text=text, sha256="1")])
    work = Work(id=1, key="k", title="镜花缘", kind="novel", origin="o", passage_ids=(1,))
    stores.works.save(replace(work, characters=len(text)))
    _, counts = crawl(source, "s3")
    assert all(page.endswith(formula) for page in newest(stores, site).values())
    assert (counts["unchanged"], counts.get("read_again", 0)) == (8, 0)
    assert event_paths(stores, "s3") == []
