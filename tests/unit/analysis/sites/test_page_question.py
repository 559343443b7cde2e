"""Contacts of a whole page: those in its article belong to whom the article is about."""

from analysis.sites.page_question import ContactsQuestion

ARTICLE = "读者来信请寄 writer@lamp-story.cn，作者在信里这样说。电话 010-55556666。"
FOOTER = "<div class=foot>京ICP备12345678号 <a href='/tousu'>侵权投诉</a> 邮箱:tousu#lamp.cn</div>"


def facts(html, *, article=""):
    answer = ContactsQuestion(html.encode(), "https://lamp.cn/b/7.html", article=article).answer()
    return [[(fact.kind, fact.value) for fact in group] for group in (answer.around, answer.in_text)]


def test_contact_in_an_article_is_weaker_than_in_the_footer():
    around, inside = facts(f"<p>{ARTICLE}</p>{FOOTER}", article=ARTICLE)
    assert around == [
        ("icp", "京ICP备12345678号"),
        ("email", "tousu@lamp.cn"),
        ("form", "https://lamp.cn/tousu"),
    ]
    assert inside == [("email", "writer@lamp-story.cn"), ("phone", "010-55556666")]


def test_contact_in_article_and_footer_counts_in_the_footer():
    around, inside = facts(f"<p>{ARTICLE}</p><div>writer@lamp-story.cn</div>", article=ARTICLE)
    assert (around, inside) == ([("email", "writer@lamp-story.cn")], [("phone", "010-55556666")])


def test_organisation_in_an_article_is_no_operator():
    text = "杭州灯塔文化传媒有限公司主办的灯会开始了。"
    assert facts(f"<p>{text}</p>", article=text) == [[], []]
    assert facts(f"<p>{text}</p>")[0] == [("name", "杭州灯塔文化传媒有限公司")]


def test_address_that_is_hidden_from_programs_is_read():
    html = (
        '<a href="/cdn-cgi/l/email-protection" data-cfemail="7a1b4b3a0b0b54191517">[email&#160;protected]</a>'
    )
    assert facts(html)[0] == [("email", "a1@qq.com")]


def test_scripts_and_styles_are_not_read():
    assert facts("<script>var m='a1@qq.com'</script><style>a1@qq.com{}</style><p>雾港</p>") == [[], []]


def test_footer_of_a_page_with_many_addresses_is_read():
    rows = "".join(f"<p>u{number}@lamp.cn</p>" for number in range(2_000))
    around, _ = facts(f"{rows}{FOOTER}")
    assert len(around) == 42
    assert {
        ("icp", "京ICP备12345678号"),
        ("email", "tousu@lamp.cn"),
        ("form", "https://lamp.cn/tousu"),
    } <= set(around)


def test_page_without_elements_has_no_contacts():
    assert facts("") == [[], []]
