"""Pages that answer in the place of a copy, in the odd ways that sites have, and what a look says of each.

The pages are read as a crawl reads them. Nothing but what a site says itself may pass for a removal.
"""

import pytest
from support.sample_novels import CHAPTERS

from analysis.watch.looks import evidence_of
from crawler.extraction import PageContext
from crawler.pages.looks import is_same_page, observation_of, observation_of_front_page, still_holds
from crawler.pages.outcomes import FetchedPart, Text
from crawler.pages.page_records import PagePart, page_of, snapshot_of
from crawler.pages.reading import failed_outcome
from crawler.readers.questions import PageQuestion
from crawler.spiders.error_pages import nonexistent_address
from storage.records import Look, TextPart, Visit, utc_now

URL = "http://m.example.cn/b/12/34.html"
CHAPTER = CHAPTERS["青灯渡"][0]
KNOWN = Visit(url=URL, source="s", page_id="known", content_hash="known")
PREVIEW = "".join(f"<p>{line}</p>" for line in CHAPTER.splitlines()[:2])
PICTURES = "<h1>第一章</h1>" + "".join(f"<p><img src=/img/{number}.png></p>" for number in range(12))
NAVIGATION = "".join(f"<a href=/b/12/{number}.html>第{number}章 渡口</a> " for number in range(30, 60))
LOST = (
    "这一页好像飘到了别的星球，我们的小编正在坐火箭去找它，您可以先看看别的故事，或者回到起点重新出发，"
    "感谢您的耐心等待和理解。"
)


def answer(html, *, url=URL, title="第一章 渡口", asked=URL):
    document = f"<html><head><meta charset=utf-8><title>{title}</title></head><body>{html}</body></html>"
    body = document.encode()
    extracted = PageQuestion(body, url, "utf-8", PageContext()).answer()
    snapshot = snapshot_of(url=url, status=200, headers=b"", body=body)
    record = page_of([PagePart(snapshot, extracted)], source="s", scan_id="r")
    return Text(record, asked, (FetchedPart(TextPart(url=url, sha256=snapshot.sha256), None),))


def sight(html, **options):
    held = options.pop("held", False)
    record = observation_of(answer(html, **options), KNOWN, held=held)
    return record.state, record.reason


@pytest.mark.parametrize(
    "notice",
    [
        "<p>该章节内容已删除</p>",
        "<p>本书因涉嫌违规，已被下架。</p>",
        "<p>您访问的章节不存在</p><a href='/'>返回首页</a>",
        "<p>抱歉，作品由于版权原因已下线</p>",
        "<p>該文章已被刪除</p>",
        "<p>違規內容已屏蔽</p>",
        "<p>此内容因违规无法查看</p>",
        "<h1>404 页面</h1>",
        "<p>The page you requested does not exist.</p>",
        "<p>This chapter has been removed at the request of the rights holder.</p>",
    ],
)
def test_page_with_a_removal_notice_is_gone(notice):
    assert sight(notice, title="提示信息") == ("gone", "soft-404")


@pytest.mark.parametrize(
    "notice",
    [
        "<p>网站升级维护，内容暂不可见，页面找不到请稍后再来</p>",
        "<p>因服务器故障，页面暂时无法找到，请稍后再试。</p>",
        "<p>请求过多，页面不存在</p>",
        "<p>Page not found? We are down for maintenance.</p>",
        "<script>location.href='/'</script>",  # it takes a browser to see where that leads
        "<div id=app>加载中…</div><script>app.innerHTML = '内容已删除'</script>",
        "<canvas></canvas><noscript>请开启JavaScript后阅读</noscript>",
        PICTURES,
        f"{PICTURES}{NAVIGATION}",
        NAVIGATION,  # a page of links, as that of an application that shows its text by scripts
    ],
)
def test_temporary_notice_or_empty_page_is_no_proof(notice):
    state, reason = sight(notice)
    assert (state, reason) in {("changed", "empty"), ("changed", "list")}
    look = Look(
        id="l", url=URL, page_id="p", state=state, reason=reason, scan_id="r", source="s", at=utc_now()
    )
    assert evidence_of(look, is_well=True) == ("nothing", reason)


def test_removal_words_next_to_the_text_are_no_proof():
    full = "".join(f"<p>{line}</p>" for line in CHAPTER.splitlines())
    said = "<p>该章节因违规已下架</p><p>网友甲：内容已删除了吗？</p>"
    for beside in (f"<div class=sidebar>{said}</div>{full}", f"{full}<div class=comments>{said}</div>"):
        page = answer(beside)
        assert observation_of(page, KNOWN, held=still_holds(page.record.page.text, [CHAPTER])).state == "up"


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<p>请完成安全验证</p><div>请拖动滑块完成拼图</div>", "安全验证"),
        ("<p>请输入下方验证码后继续访问</p><form><input name=code></form>", "验证"),
        ("<p>Checking your browser before accessing</p>", "Just a moment..."),
        ("<p>您的IP访问过于频繁，已被限制，请稍后登录再试</p>", "提示"),
        ("<p>拒绝访问</p>", "403 Forbidden"),
        ("<p>内容加载失败，请刷新</p>", "第一章"),
    ],
)
def test_captcha_ban_or_broken_page_proves_nothing(html, title):
    assert sight(html, title=title)[0] == "unreachable"


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<p>请先登录后查看</p><form><input type=password></form>", "用户登录"),
        ("<form>用户名<input name=u>密码<input type=password></form>", "用户中心"),
        (f"<h1>第一章</h1>{PREVIEW}<p>本章为VIP章节，订阅后即可继续阅读。</p>", "第一章 渡口"),
        (f"<h1>第一章</h1>{PREVIEW}<p>阅读全文请下载APP</p>", "第一章 渡口"),
        (f"<h1>第一章</h1>{PREVIEW}<p>开通会员后即可阅读全部章节</p>", "第一章 渡口"),
    ],
)
def test_login_or_a_paywall_restricts_and_removes_nothing(html, title):
    assert sight(html, title=title)[0] == "restricted"


def test_paid_chapter_that_shows_half_of_the_copy_is_up():
    assert sight(f"<h1>第一章</h1>{PREVIEW}<p>购买后才能继续阅读</p>", held=True) == ("up", "")


def test_redirect_to_a_login_page_restricts():
    url = "http://m.example.cn/user/login.html?back=34"
    assert sight("<p>欢迎</p>", url=url, title="欢迎回来") == ("restricted", "wants-login")


def test_redirect_counts_as_front_page_only_on_the_same_site():
    links = "".join(f"<p><a href='/b/{number}/'>书{number}</a></p>" for number in range(30))
    assert sight(links, url="http://www.example.cn/", title="首页") == ("gone", "front-page")
    assert sight(links, url="http://ads.example/", title="首页") == ("changed", "redirect")


def test_unlisted_error_page_is_recognised_by_requesting_a_missing_page():
    odd = answer(f"<p>{LOST}</p><p>{LOST}</p>", title="迷路了")
    assert observation_of(odd, KNOWN).state == "changed"
    for_nothing = answer(f"<p>{LOST}</p><p>{LOST}</p>", title="迷路了", url=nonexistent_address(URL))
    assert is_same_page(odd.record.page, for_nothing.record.page)
    failed = failed_outcome(URL, source="s", scan_id="r", reason="soft-404", status=200)
    told = observation_of(failed, KNOWN)
    assert (told.state, told.reason, told.status) == ("gone", "soft-404", 200)


def test_two_chapters_are_different_pages():
    pages = [answer("".join(f"<p>{line}</p>" for line in text.splitlines())) for text in CHAPTERS["青灯渡"]]
    assert not is_same_page(pages[0].record.page, pages[1].record.page)
    assert not is_same_page(answer("", title="").record.page, answer("", title="").record.page)


def test_parked_domain_has_no_front_page():
    parked = answer(
        "<p>此域名正在出售，有意者请联系。This domain is for sale.</p>",
        url="http://m.example.cn/",
        asked="http://m.example.cn/",
        title="域名出售",
    )
    assert observation_of_front_page(parked, answers_all=True).state == "unreachable"
    assert (
        observation_of_front_page(parked, answers_all=False).state == "unreachable"
    )  # an empty page is no site
    links = "".join(f"<p><a href='/b/{number}/'>书{number}</a></p>" for number in range(30))
    front = answer(links, url="http://m.example.cn/", asked="http://m.example.cn/", title="首页")
    assert observation_of_front_page(front, answers_all=False).state == "up"
    assert observation_of_front_page(front, answers_all=True).state == "unreachable"
    elsewhere = answer(links, url="http://ads.example/", asked="http://m.example.cn/", title="首页")
    assert observation_of_front_page(elsewhere, answers_all=False).state == "unreachable"


@pytest.mark.parametrize(
    "url",
    [
        URL,
        "http://example.cn/read.php?book=12&chapter=34",
        "http://example.cn/novel/qingdengdu/first.html",
        "http://example.cn/12/",
        "http://example.cn",
    ],
)
def test_address_that_cannot_exist_has_the_form_of_its_neighbours(url):
    other = nonexistent_address(url)
    assert other not in {url, f"{url}/"}
    assert other == nonexistent_address(url)
    assert other.partition("?")[0].count("/") >= url.partition("?")[0].count("/")
    assert ("?" in other) == ("?" in url)
