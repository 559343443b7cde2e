"""What a site repeats is learnt in one crawl, and left out of its texts from the next one on."""

import pytest
from support.crawl_parts import event_paths
from support.webserver import Reply, anchors, article

from storage.records import Source

pytestmark = pytest.mark.services


SLOGAN = "望江书屋的书友们都在这里等着您回来呢。"


def chapters(count, *, slogan=SLOGAN, **headers):
    """Chapters whose last paragraph the site adds to each."""
    pages = {}
    for number in range(1, count + 1):
        page = article(f"第{number}章 渡口", seed=number)
        pages[f"/b/{number}.html"] = Reply(
            page.replace("</article>", f"<p>{slogan}</p></article>"), **headers
        )
    return pages


def newest(stores, site):
    paths = [path for path in site.pages if path != "/b/"]
    return {path: stores.pages.versions(f"{site.url}{path}")[0].text for path in paths}


@pytest.mark.parametrize("headers", [{}, {"ETag": '"one"'}], ids=["without validators", "with an ETag"])
def test_what_a_site_repeats_is_learnt_in_one_crawl_and_left_out_in_the_next(stores, crawl, site, headers):
    listed = anchors(*((f"/b/{number}.html", f"第{number}章 渡口") for number in range(1, 9)))
    site.pages = {"/b/": listed, **chapters(8, **headers)}
    source = Source(name="n", kind="novel", start_urls=(f"{site.url}/b/",))
    _, counts = crawl(source, "s1")
    assert (counts["pages"], counts["event:new"]) == (8, 8)
    before = newest(stores, site)
    assert all(text.endswith(SLOGAN) for text in before.values())

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

    _, counts = crawl(source, "s3")
    assert (counts["unchanged"], counts.get("read_again", 0), counts.get("extracted", 0)) == (8, 0, 0)
    assert newest(stores, site) == after

    # An analyst has the sentence kept, and it comes back, without a change of the site's either.
    (repeat,) = stores.repeats.of_site(site.url.removeprefix("http://")).repeats
    stores.repeats.keep(site.url.removeprefix("http://"), repeat.id)
    _, counts = crawl(source, "s4")
    assert newest(stores, site) == before
    assert (event_paths(stores, "s4"), counts["failed"]) == ([], 0)


def test_a_text_that_the_site_changes_while_a_repeat_is_learnt_has_changed(stores, crawl, site):
    listed = anchors(*((f"/b/{number}.html", f"第{number}章 渡口") for number in range(1, 9)))
    site.pages = {"/b/": listed, **chapters(8)}
    source = Source(name="n", kind="novel", start_urls=(f"{site.url}/b/",))
    crawl(source, "s1")
    changed = article("第3章 渡口", seed=77).replace("</article>", f"<p>{SLOGAN}</p></article>")
    site.pages["/b/3.html"] = Reply(changed)
    site.pages["/b/4.html"] = chapters(4, slogan="望江书屋换了一句新的话给书友们看看。")["/b/4.html"]
    crawl(source, "s2")
    # The fourth has another slogan, which is not known to be one: a change, as far as can be told.
    assert event_paths(stores, "s2") == [("changed", "/b/3.html"), ("changed", "/b/4.html")]
