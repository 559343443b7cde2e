"""A site that knows how many chapters it has: each is read once, or the crawl says how many were not seen."""

import json
import re
from urllib.parse import urlsplit

import pytest
from support.webserver import Reply, article

from storage.records import Source
from tracker.scans.scanning import unvisited_counts

pytestmark = pytest.mark.services
CHAPTERS = 60
SHOWN = 20  # by the catalogue


def chapter(number, *, links=True):
    before = f'<a href="/b/1/{number - 1}.html">上一章</a>' if links and number > 1 else ""
    after = f'<a href="/b/1/{number + 1}.html">下一章</a>' if links and number < CHAPTERS else ""
    title = f"第{number}章 候鸟"
    return article(title, seed=number, links=f'{before}<a href="/b/1/">目录</a>{after}')


def items(numbers):
    return [{"id": number, "name": f"第{number}章", "url": f"/b/1/{number}.html"} for number in numbers]


def add_book(site, *, below="", links=True, said=""):
    """Put a book on a site whose catalogue lists its newest chapters."""
    listed = "".join(
        f'<li><a href="/b/1/{number}.html?spm={number}">第{number}章 候鸟</a></li>'
        for number in range(CHAPTERS, CHAPTERS - SHOWN, -1)
    )
    site.pages["/b/1/"] = (
        f"<html><meta charset=utf-8><body><h1>候鸟</h1>{said}<ul>{listed}</ul>{below}</body></html>"
    )
    site.pages |= {f"/b/1/{number}.html": chapter(number, links=links) for number in range(1, CHAPTERS + 1)}


def crawl_book(crawl, site, scan="s1"):
    return crawl(Source(name="a", kind="novel", start_urls=(f"{site.url}/b/1/",)), scan)


def chapters_of(stores):
    paths = [urlsplit(page.url).path for page in stores.pages.all() if page.state == "fetched"]
    return sorted(int(re.findall(r"\d+", path)[-1]) for path in paths)


BUTTON = '<button onclick="load()">加载更多</button>'
LOADING = (
    f'{BUTTON}<script>var page=1;function load(){{fetch("/api/catalog?book=1&page="+(++page))}}</script>'
)


def test_chapters_missing_from_the_list_are_reached_by_chapter_links(stores, crawl, site):
    add_book(site, below=BUTTON)
    result, counts = crawl_book(crawl, site)
    assert result.returncode == 0, result.stderr
    assert chapters_of(stores) == list(range(1, CHAPTERS + 1))
    assert (counts["chained"], counts["left:catalogue"]) == (CHAPTERS - SHOWN, 0)
    assert len(site.paths()) <= 1.1 * CHAPTERS
    _, counts = crawl_book(crawl, site, "s2")
    assert (counts["left:catalogue"], len(chapters_of(stores))) == (0, CHAPTERS)


def test_chapters_that_nothing_leads_to_are_counted(stores, crawl, site):
    add_book(site, below=BUTTON, links=False)
    _, counts = crawl_book(crawl, site)
    assert (len(chapters_of(stores)), counts["left:catalogue"]) == (SHOWN, CHAPTERS - SHOWN)
    assert unvisited_counts(stores.scans.crawls("s1")) == {"catalogue": CHAPTERS - SHOWN}


def test_catalogue_that_states_its_number_of_chapters_is_trusted(stores, crawl, site):
    add_book(site, said="<p>共80章</p>", below=BUTTON)
    _, counts = crawl_book(crawl, site)
    assert (len(chapters_of(stores)), counts["left:catalogue"]) == (CHAPTERS, 20)


def test_list_in_json_behind_a_button_is_read_to_its_end(stores, crawl, site):
    add_book(site, below=LOADING, links=False)

    def page(path, *_):
        first = CHAPTERS - (int(path.rpartition("=")[2]) - 1) * SHOWN
        answer = {"code": 0, "data": {"list": items(range(first, max(0, first - SHOWN), -1))}}
        return Reply(json.dumps(answer), kind="application/json")

    site.pages["/api/catalog"] = page
    _, counts = crawl_book(crawl, site)
    assert (chapters_of(stores), counts["left:catalogue"]) == (list(range(1, CHAPTERS + 1)), 0)
    asked = site.paths()
    assert sum(path.startswith("/api/") for path in asked) == 4
    assert len(asked) <= 1.1 * CHAPTERS


def test_list_in_json_of_ids_goes_by_the_addresses_of_the_catalogue(stores, crawl, site):
    add_book(site, below=LOADING, links=False)

    def page(path, *_):
        first = CHAPTERS - (int(path.rpartition("=")[2]) - 1) * SHOWN
        rows = [
            {"chapterId": number, "name": f"第{number}章"}
            for number in range(first, max(0, first - SHOWN), -1)
        ]
        return Reply(json.dumps({"rows": rows}), kind="application/json")

    site.pages["/api/catalog"] = page
    _, counts = crawl_book(crawl, site)
    assert (chapters_of(stores), counts["left:catalogue"]) == (list(range(1, CHAPTERS + 1)), 0)


def test_endless_json_list_is_abandoned(stores, crawl, site):
    add_book(site, below=LOADING, links=False)
    site.pages["/api/catalog"] = Reply(json.dumps(items(range(1, CHAPTERS + 1))), kind="application/json")
    _, counts = crawl_book(crawl, site)
    assert (len(chapters_of(stores)), counts["left:catalogue"]) == (CHAPTERS, 0)
    assert sum(path.startswith("/api/") for path in site.paths()) == 2


def test_list_in_json_that_the_site_refuses_leaves_its_chapters_counted(stores, crawl, site):
    add_book(site, below=LOADING, links=False)
    site.pages["/api/catalog"] = Reply(status=403)
    _, counts = crawl_book(crawl, site)
    assert (len(chapters_of(stores)), counts["left:catalogue"]) == (SHOWN, CHAPTERS - SHOWN)
