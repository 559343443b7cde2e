"""Official texts: formulas alone are no copy, and a reused text is found."""

from support.corpora import corpus_of

from tracker.comparison import ComparedText, compare

OPENING = "各省、自治区、直辖市人民政府，国务院各部委、各直属机构："
CLOSING = (
    "各地区、各有关部门要充分认识做好这项工作的重要意义，切实加强组织领导，完善工作机制，认真贯彻落实国务院的有关规定。"
    "国务院办公厅要会同有关部门加强督促检查，重大情况及时向国务院报告。（此件公开发布）"
)
FERRY = (
    "渡口的缆桩按水位涨落分三排埋设，头排距岸十二步，遇雾先收末排。摆渡人清早点灯，向下游喊三声，无人应答才许离岸。"
    "牛羊与盐包不同船，鸡鸭笼垫草后置于船尾，孩子坐在艄公看得见的地方。"
)
LIGHTS = (
    "灯塔的油每旬称一次，短少过半斤须记在木牌背面。守塔人轮到回家的日子，把钥匙挂在海图旁的铜钩上，由接班者当面取下。"
    "雾笛坏了就敲钟，每数到四十敲两下，直到看清南面礁石上的白漆。"
)


def notice(text):
    return OPENING + text + CLOSING


def compared(page, *works):
    return compare(ComparedText(page), corpus_of({f"通知{n}": [work] for n, work in enumerate(works)}))


def test_two_notices_that_share_their_formulas_are_no_copies():
    assert compared(notice(FERRY), notice(LIGHTS)).verdict in ("clear", "common", "quote")


def test_notice_copied_whole_is_a_copy():
    result = compared(notice(FERRY), notice(FERRY))
    assert (result.verdict, result.coverage) == ("copy", 1)
    assert result.matches[0].extent.information[0] > 0


def test_formulas_alone_are_reported_if_a_page_copies_the_whole_text():
    formulas = OPENING + CLOSING
    assert compared(formulas, formulas).verdict in ("quote", "partial", "copy")


def test_text_between_formulas_is_matched_on_another_page():
    result = compared(LIGHTS + FERRY, notice(FERRY))
    assert (result.verdict, result.copied_chars) == ("quote", len(FERRY))
