"""What a site repeats: learnt, kept and undone in the real database."""

import pytest
from support.strategies import story

from crawler.extraction.repeats import sentence_hash, without_repeats
from crawler.pages.learning import Learner
from system.errors import UnknownRecord

pytestmark = pytest.mark.services
SITE = "x.example"
SLOGAN = "望江书屋的书友们都在这里等着您回来呢。"


def text(number):
    return "\n".join(f"{story(20, 100 * number + line)}。" for line in range(9))


def learn(stores, numbers, *, site=SITE, extra=SLOGAN):
    learner = Learner()
    for number in numbers:
        learner.add(site, text(number) + extra)
    learner.store(stores.repeats)


def test_two_crawls_learn_together(stores):
    learn(stores, range(3))
    assert stores.repeats.of_host(SITE).repeats == ()
    learn(stores, range(3, 6))
    (repeat,) = stores.repeats.of_host(SITE).repeats
    assert (repeat.text, repeat.texts, repeat.kept, repeat.hash) == (SLOGAN, 6, False, sentence_hash(SLOGAN))
    removed = stores.repeats.of_host(SITE).removed
    assert without_repeats([text(9) + SLOGAN], removed)[1] == [SLOGAN]
    assert stores.repeats.of_host("y.example").removed == frozenset()


def test_same_pages_again_teach_nothing_new(stores):
    for _ in range(3):
        learn(stores, range(4))
    assert stores.repeats.of_host(SITE).repeats == ()


def test_repeated_sentence_stays_while_half_of_the_share_has_it(stores):
    learn(stores, range(6))
    learn(stores, range(6, 30), extra="")
    (repeat,) = stores.repeats.of_host(SITE).repeats
    assert repeat.texts == 6
    learn(stores, range(30, 60), extra="")
    assert stores.repeats.of_host(SITE).repeats == ()
    learn(stores, range(60, 72))
    assert stores.repeats.of_host(SITE).repeats == ()


def test_analyst_keeps_a_sentence_and_a_later_crawl_does_not_undo_it(stores):
    learn(stores, range(6))
    (repeat,) = stores.repeats.of_host(SITE).repeats
    stores.repeats.set_kept(SITE, repeat.id)
    learn(stores, range(6, 12))
    (again,) = stores.repeats.of_host(SITE).repeats
    assert (again.kept, again.first_seen, again.texts) == (True, repeat.first_seen, 12)
    assert stores.repeats.of_host(SITE).removed == frozenset()
    stores.repeats.set_kept(SITE, repeat.id, kept=False)
    assert stores.repeats.of_host(SITE).removed == {repeat.hash}


def test_unknown_sentence_is_refused(stores):
    with pytest.raises(UnknownRecord):
        stores.repeats.set_kept(SITE, "00")
