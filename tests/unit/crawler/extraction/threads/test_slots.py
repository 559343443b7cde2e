"""The position of the text in a post: the slot whose lines differ most between posts."""

import pytest

from crawler.extraction.outline import outline
from crawler.extraction.parsing import parse
from crawler.extraction.stamps import is_stamp
from crawler.extraction.threads.records import RecordPage
from crawler.extraction.threads.slots import Slots

STAMP = "<p>2024-3-5 20:11</p>"
RULE = f"<p class=rule>{'本版块禁止广告，违者删帖。' * 6}</p>"
TEXTS = ("渡口的灯还亮着，船没有回来。", "雨下了一夜，河水漫过了石阶。", "她把信收好，没有再拆开看。")


class Page:
    """Posts of a page, with the slots of their lines."""

    def __init__(self, *posts, skipped=()):
        body = "".join(f"<div class=post>{post}</div>" for post in posts)
        self.page = outline(parse(f"<html><body>{body}</body></html>").find("body"))
        stamps = [at for at, line in enumerate(self.page.lines) if is_stamp(line)]
        (group,) = [
            candidate for candidate in RecordPage(self.page, stamps).groups() if candidate.parent == 0
        ]
        left_out = {at for at, line in enumerate(self.page.lines) if line.text in skipped}
        self.slots = Slots(self.page, group.records, stamps=stamps, skipped=left_out)
        self.count = len(group.records)

    def texts(self):
        """Return the lines of each post that are its text."""
        lines = self.page.lines
        return [[lines[at].text for at in self.slots.text_lines(number)] for number in range(self.count)]

    def slots_of(self, number):
        """Return the slot of each line of a post, by its text."""
        return {self.page.lines[at].text: self.slots.slot(number, at) for at in self.slots.own_lines(number)}


def test_text_is_the_differing_content_and_the_template_repeats():
    page = Page(
        *(
            f"<div class=who>等级：会员，注册已满三年。</div>{STAMP}<div class=t>{text}</div>"
            for text in TEXTS
        )
    )
    assert page.texts() == [[text] for text in TEXTS]


def test_slot_is_the_same_whatever_precedes_it():
    first = f"{STAMP}<div class=t>{TEXTS[0]}</div>"
    page = Page(first, f"<div class=badge>版主</div>{first.replace(TEXTS[0], TEXTS[1])}")
    assert page.slots_of(0)[TEXTS[0]] == page.slots_of(1)[TEXTS[1]]
    assert page.slots_of(1)["版主"] not in page.slots_of(0).values()
    assert page.texts() == [[TEXTS[0]], [TEXTS[1]]]


def test_blocks_of_the_same_class_share_a_slot():
    named = Page(*(f"{STAMP}<div class=t>{text}</div><div class=t>{text}甲</div>" for text in TEXTS))
    assert len({named.slots_of(0)[TEXTS[0]], named.slots_of(0)[f"{TEXTS[0]}甲"]}) == 1
    counted = Page(*(f"{STAMP}<div>{text}</div><div>{text}甲</div>" for text in TEXTS))
    assert len({counted.slots_of(0)[TEXTS[0]], counted.slots_of(0)[f"{TEXTS[0]}甲"]}) == 2
    assert counted.slots_of(0)[TEXTS[0]] == counted.slots_of(1)[TEXTS[1]]


def test_block_is_named_by_its_most_common_class():
    """An author's name among the class names creates no separate slot."""
    page = Page(
        *(f"{STAMP}<div class='x{name} t'>{text}</div>" for name, text in zip("abc", TEXTS, strict=True)),
    )
    assert len({page.slots_of(number)[text] for number, text in enumerate(TEXTS)}) == 1


def test_same_class_on_another_element_is_another_slot():
    page = Page(f"{STAMP}<div class=t>{TEXTS[0]}</div>", f"{STAMP}<section class=t>{TEXTS[1]}</section>")
    assert page.slots_of(0)[TEXTS[0]] != page.slots_of(1)[TEXTS[1]]


def test_nested_content_of_the_text_is_text():
    page = Page(*(f"{STAMP}<div class=t><p>{text}</p><ul><li>{text}甲</li></ul></div>" for text in TEXTS))
    assert page.texts() == [[text, f"{text}甲"] for text in TEXTS]


def test_lines_of_other_posts_are_skipped():
    page = Page(
        *(f"{STAMP}<div class=t>{text}</div><div class=t>答：{text}</div>" for text in TEXTS),
        skipped=[f"答：{TEXTS[1]}"],
    )
    assert page.texts() == [[TEXTS[0], f"答：{TEXTS[0]}"], [TEXTS[1]], [TEXTS[2], f"答：{TEXTS[2]}"]]


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ("<div class=o><a href=/u>{text}</a></div>", "links"),
        ("<div class=o>2024年3月{number}日 20:1{number}</div>" * 9, "stamps"),
        ("<div class=o>{number}0000000000000000000000000000000</div>", "numbers"),
    ],
    ids=["links", "stamps", "numbers"],
)
def test_other_slots_are_not_the_text(other, reason):
    """Each has more characters than the text and differs between posts."""
    assert reason
    page = Page(
        *(
            STAMP + other.format(text=text * 3, number=number + 1) + f"<div class=t>{text}</div>"
            for number, text in enumerate(TEXTS)
        )
    )
    assert page.texts() == [[text] for text in TEXTS]


@pytest.mark.parametrize(("labels", "wins"), [(27, "t"), (29, "o")])
def test_labels_are_worth_half_of_sentences(labels, wins):
    """The text has fourteen characters; a label of 28 counts as much."""
    texts = ["灯" * 13 + "。", "船" * 13 + "。"]
    page = Page(
        *(
            f"{STAMP}{RULE}<div class=o>{mark * labels}</div><div class=t>{text}</div>"
            for mark, text in zip("甲乙", texts, strict=True)
        )
    )
    labels_only = [[mark * labels] for mark in "甲乙"]
    assert page.texts() == ([[text] for text in texts] if wins == "t" else labels_only)


@pytest.mark.parametrize(("linked", "wins"), [(10, "o"), (11, "t")])
def test_link_text_in_a_line_does_not_count(linked, wins):
    """Of 31 characters 21 count, one more than the text has; with one more in the link it is as many."""
    lines = [f"<a href=/u>{mark * linked}</a>{mark * (30 - linked)}。" for mark in "甲乙"]
    texts = [mark * 19 + "。" for mark in "灯船"]
    page = Page(
        *(
            f"{STAMP}{RULE}<div class=o>{line}</div><div class=t>{text}</div>"
            for line, text in zip(lines, texts, strict=True)
        )
    )
    sentences = [[mark * 30 + "。"] for mark in "甲乙"]
    assert page.texts() == ([[text] for text in texts] if wins == "t" else sentences)


@pytest.mark.parametrize(
    ("posts", "alike", "is_text"), [(2, 2, False), (2, 1, True), (10, 3, False), (11, 3, True)]
)
def test_text_of_three_tenths_of_the_posts_is_the_template(posts, alike, is_text):
    """Some posts share a long line, next to a short text of each."""
    shared = "本版块禁止广告，违者删帖并封号，请自觉遵守各项规定。"
    marks = "甲乙丙丁戊己庚辛壬癸子"[:posts]
    page = Page(
        *(
            f"{STAMP}<div class=o>{shared if number < alike else mark}</div><div class=t>{mark * 5}。</div>"
            for number, mark in enumerate(marks)
        )
    )
    expected = page.slots_of(0)[shared if is_text else f"{marks[0] * 5}。"]
    assert page.texts()[0] == [shared if is_text else f"{marks[0] * 5}。"]
    assert page.slots._text == expected


@pytest.mark.parametrize(("button", "is_in_text"), [("点赞", True), ("点个赞", False)])
def test_template_line_costs_four_extra_characters(button, is_in_text):
    """A text of 20 characters and a label of 10 are worth 25, or 20 without what is around the text.

    25² / (25 + n) is less than 20 for an n of 7, and more for one of 6.
    """
    labels, texts = [mark * 10 for mark in "甲乙"], [mark * 19 + "。" for mark in "灯船"]
    page = Page(
        *(
            f"{STAMP}<div class=box><p>{label}</p><p>{button}</p><div class=t>{text}</div></div>"
            for label, text in zip(labels, texts, strict=True)
        )
    )
    around = [[label, button] if is_in_text else [] for label in labels]
    assert page.texts() == [[*lines, text] for lines, text in zip(around, texts, strict=True)]


def test_innermost_of_equal_slots_is_the_text():
    page = Page(*(f"{STAMP}<div class=box><div class=t>{text}</div></div>" for text in TEXTS))
    assert page.slots_of(0)[TEXTS[0]] == page.slots._text


@pytest.mark.parametrize(("depth", "slots"), [(38, 39), (40, 40), (60, 40)])
def test_slots_are_forty_deep_at_most(depth, slots):
    inside = "<div class=d>" * depth
    page = Page(*(f"{STAMP}{inside}<div class=t>{text}</div>{'</div>' * depth}" for text in TEXTS))
    assert page.slots._depths[page.slots_of(0)[TEXTS[0]]] == slots
    assert page.texts() == [[text] for text in TEXTS]
