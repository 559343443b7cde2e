"""How many chapters exist and were not seen."""

import pytest

from crawler.lists.link_list import CatalogueClues, LinkList
from crawler.spiders.catalogue_gaps import CatalogueGaps

BOOK = "http://x.example/b/1"


def address(number, book=BOOK):
    return f"{book}/{number * 10}.html"


def gaps_of(numbers, *, known=(), unnumbered=(), **clues):
    """Return what a catalogue that lists these chapters says."""
    gaps = CatalogueGaps()
    gaps.add_known(map(address, known))
    see(gaps, numbers, unnumbered=unnumbered, **clues)
    return gaps


def see(gaps, numbers, *, unnumbered=(), **clues):
    texts = [address(number) for number in (*numbers, *unnumbered)]
    numbered = tuple((address(number), number) for number in numbers)
    return gaps.add_list(LinkList(clues=CatalogueClues(numbers=numbered, **clues)), texts)


@pytest.mark.parametrize(
    ("numbers", "unseen"),
    [
        (range(1, 301), 0),
        (range(251, 301), 250),
        ([*range(1, 51), *range(61, 101)], 10),
        ([*range(1, 51), 300], 249),
        ([*range(1, 50), 52, 53], 0),  # an author who cannot count
        ([*range(1, 50), 53, 54], 3),
        (range(1, 4), 0),
        (range(9, 12), 0),  # too few to judge
        ([*range(1, 21), 20260301], 0),
    ],
)
def test_chapter_numbers_show_missing_chapters(numbers, unseen):
    assert gaps_of(numbers).count_unseen() == unseen


def test_second_page_of_the_catalogue_fills_the_gap():
    gaps = gaps_of(range(51, 101))
    assert gaps.count_unseen() == 50
    assert see(gaps, range(1, 51))
    assert not see(gaps, range(1, 51))
    assert gaps.count_unseen() == 0


@pytest.mark.parametrize(("total", "unseen"), [(300, 280), (20, 0), (22, 0), (23, 3)])
def test_catalogue_with_a_stated_total_is_trusted(total, unseen):
    assert gaps_of([], unnumbered=range(20), total=total).count_unseen() == unseen


def test_two_missing_chapters_in_a_hundred_mean_an_outdated_total():
    assert gaps_of([], unnumbered=range(980), total=999).count_unseen() == 0
    assert gaps_of([], unnumbered=range(980), total=1001).count_unseen() == 21


def test_show_more_button_counts_as_at_least_a_single_missing_chapter():
    gaps = gaps_of([], unnumbered=range(20), has_more=True)
    assert gaps.count_unseen() == 1
    gaps.end_list([address(1)])
    assert gaps.count_unseen() == 0
    assert gaps_of(range(1, 21), has_more=True).count_unseen() == 0  # it shows what is there already
    assert gaps_of(range(21, 41), has_more=True).count_unseen() == 20
    assert gaps_of([], unnumbered=range(20), has_more=True, total=20).count_unseen() == 0


def test_chapters_read_through_other_links_are_not_missing():
    gaps = gaps_of(range(11, 21))
    assert gaps.count_unseen() == 10
    for number in range(1, 11):
        gaps.add_text(address(number), f"第{number}章 渡口")
    assert gaps.count_unseen() == 0


def test_chapters_of_earlier_crawls_are_not_missing():
    assert gaps_of(range(11, 21), known=range(1, 11)).count_unseen() == 0
    assert gaps_of(range(11, 21), known=range(8, 15)).count_unseen() == 7
    assert gaps_of(range(11, 21), known=range(8, 15), total=20).count_unseen() == 7


def test_newest_chapters_of_other_books_are_ignored():
    gaps = CatalogueGaps()
    texts = [address(number) for number in range(1, 21)]
    other = address(900, "http://x.example/b/2")
    numbered = (*((address(number), number) for number in range(1, 21)), (other, 900))
    gaps.add_list(LinkList(clues=CatalogueClues(numbers=numbered)), [*texts, other])
    assert gaps.count_unseen() == 0


def test_books_are_counted_separately_and_only_with_a_list():
    gaps = gaps_of(range(11, 21))
    second = [address(number, "http://x.example/b/2") for number in range(6, 16)]
    numbered = tuple((url, number) for url, number in zip(second, range(6, 16), strict=True))
    gaps.add_list(LinkList(clues=CatalogueClues(numbers=numbered)), second)
    gaps.add_known([address(number, "http://x.example/b/3") for number in range(9)])
    assert gaps.count_unseen() == 15
    assert not gaps.add_list(LinkList(), [])


def test_scripted_pager_counts_until_chapters_lead_further():
    gaps = gaps_of(range(1, 21), has_pager=True)
    assert gaps.count_unseen() == 1
    gaps.add_text(address(20), "第20章")  # which the list names
    assert gaps.count_unseen() == 1
    gaps.add_text(address(21), "第21章")
    assert gaps.count_unseen() == 0
    assert gaps_of(range(1, 21), has_pager=True, total=20).count_unseen() == 0
