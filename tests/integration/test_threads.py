"""A novel that was posted floor by floor: found in a forum, and named by its posts."""

import csv
import io
import json

import pytest
from support.threads import Written, discuz

pytestmark = pytest.mark.usefixtures("background_worker")
PARAGRAPHS = [
    f"第{number}夜，渡口的灯照见从{place}来的船，老许把缆绳绕在第{number}根木桩上，听{guest}说起对岸的事。"
    f"{guest}说，{place}的水涨了{number + 2}尺，磨坊的轮子转了一整夜，没有人敢睡，也没有人敢点灯。"
    for number, (place, guest) in enumerate(
        zip("甲乙丙丁戊己庚辛壬癸子丑", ("货郎", "盐商", "郎中", "戏子") * 3, strict=True), 1
    )
]
REMARK = "顶一下楼主，写得真好，等着看下一段，今天又是坐在沙发上的一天。"
SIGNATURE = "灯在人在，人在灯在，江水不息。"
PAGES = 3


def page_of_thread(number, posts):
    """One of the three pages of the thread, with links to the others."""
    links = "".join(f"<a href='/thread-7-{page}-1.html'>{page}</a>" for page in range(1, PAGES + 1))
    further = f"<a href='/thread-7-{number + 1}-1.html'>下一页</a>" if number < PAGES else ""
    head = "<title>【连载】渡口的灯 - 江边论坛</title><meta charset=utf-8>"
    return (
        f"<html><head>{head}</head><body><h1>【连载】渡口的灯</h1><div class='pg'>{links}{further}</div>"
        f"{discuz(posts, 8 * (number - 1) + 1)}</body></html>"
    )


def thread():
    """Twenty-four posts on three pages: a paragraph of the novel, then a remark that quotes it."""
    posts = []
    for number, paragraph in enumerate(PARAGRAPHS, 1):
        posts.append(Written("老许", paragraph, number, signature=SIGNATURE))
        quote = f"老许 发表于 2024-3-{number} 20:10<br>{paragraph[:40]}"
        posts.append(Written(f"茶客{number}", f"{REMARK}第{number}次。", number, quote=quote))
    return {
        f"/thread-7-{page}-1.html": page_of_thread(page, posts[8 * (page - 1) : 8 * page])
        for page in range(1, PAGES + 1)
    }


@pytest.mark.long
def test_novel_in_a_forum_thread_is_matched_and_its_posts_are_named(pindna, site, tmp_path):
    site.pages = thread()
    work = tmp_path / "渡口的灯.txt"
    work.write_text("\n".join(PARAGRAPHS), encoding="utf-8")
    source = tmp_path / "forum.toml"
    url = f"{site.url}/thread-7-1-1.html"
    source.write_text(f'name = "forum"\nkind = "urls"\nurls = ["{url}"]\n', encoding="utf-8")
    pindna("source", "add", source)
    pindna("corpus", "add", work)
    pindna("scan", status=1)
    (match,) = map(json.loads, pindna("review", "list", "--json").stdout.splitlines())
    assert (match["url"], match["verdict"]) == (url, "copy")
    assert match["passage_coverage"] > 0.8
    (row,) = csv.DictReader(
        io.StringIO(pindna("report", "--format", "csv", "--codes", "-o", "-").stdout.removeprefix("\ufeff"))
    )
    named = [f"#{2 * number - 1} 老许 2024-03-{number:02}" for number in range(1, 13)]
    assert set(named) <= set(row["posts"].split("; "))  # a stretch may reach over a remark
    assert "Posts: #1 老许 2024-03-01, #3 老许" in pindna("review", "show", match["name"]).stdout
    path = tmp_path / "page.html"
    path.write_text(site.pages["/thread-7-2-1.html"], encoding="utf-8")
    (page,) = map(json.loads, pindna("extract", path, "--json").stdout.splitlines())
    assert (page["kind"], len(page["posts"])) == ("thread", 8)
    assert page["posts"][0]["signature"] == SIGNATURE
    assert page["posts"][1]["quotes"]
