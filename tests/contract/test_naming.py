"""Find works by names that people type: pindna guesses nothing, and suggests similar names."""

import pytest
from support.loading import raw, stored_corpus
from support.strategies import story

from storage.collections.schema import bring_up_to_date
from system.errors import MistakenName, UnknownRecord
from tracker.corpus.chapters import ChapterSection
from tracker.corpus.naming import AmbiguousTitle, BareNumber, find_work

pytestmark = pytest.mark.services


@pytest.fixture
def corpus(stores, redis_client):
    return stored_corpus(stores, redis_client)


def add(corpus, title, **fields):
    return corpus.load(raw(ChapterSection("", story(60, hash_of(title, fields))), title=title, **fields))[1]


def hash_of(title, fields):
    return sum(map(ord, title + str(fields)))


@pytest.mark.parametrize("spelling", ["红楼梦", "紅樓夢", "《红楼梦》", " 红楼梦 ", "id:1", "ID：1", "id: 1"])
def test_work_has_many_spellings(corpus, spelling):
    work = add(corpus, "红楼梦")
    assert find_work(spelling, corpus.stores).id == work.id == 1


@pytest.mark.parametrize("spelling", ["http://a.cn/1", "a.cn/1", "快讯"])
def test_article_is_identified_by_its_address_too(corpus, spelling):
    work = add(corpus, "快讯", url="http://a.cn/1")
    assert find_work(spelling, corpus.stores) == work


def test_number_is_a_title_and_never_an_id(corpus):
    """The repeated command that removed 003 removed the work with the id 3."""
    works = [add(corpus, title) for title in ("001", "002", "003", "镜花缘")]
    assert find_work("003", corpus.stores).id == works[2].id
    corpus.stores.works.delete(works[2].id)
    with pytest.raises(MistakenName, match=r"no work called 003\. Did you mean: 00"):
        find_work("003", corpus.stores)
    with pytest.raises(BareNumber, match="If you mean “镜花缘”, which has this id, write id:4"):
        find_work("4", corpus.stores)
    assert find_work("id:4", corpus.stores).title == "镜花缘"


def test_several_works_with_the_same_title_are_listed_with_their_ids(corpus):
    first, second = (add(corpus, "快讯", url=f"http://a/{number}") for number in (1, 2))
    with pytest.raises(AmbiguousTitle) as raised:
        find_work("快讯", corpus.stores)
    assert raised.value.data["works"] == (f"id:{first.id} (快讯.txt)", f"id:{second.id} (快讯.txt)")


def test_exact_title_precedes_the_other_script(corpus):
    simplified, traditional = add(corpus, "红楼梦"), add(corpus, "紅樓夢")
    assert find_work("红楼梦", corpus.stores).id == simplified.id
    assert find_work("紅樓夢", corpus.stores).id == traditional.id
    with pytest.raises(AmbiguousTitle):
        find_work("《红樓梦》", corpus.stores)


def test_unknown_name_suggests_similar_titles(corpus):
    for title in ("西游记", "红楼梦", "西游补"):
        add(corpus, title)
    with pytest.raises(MistakenName) as raised:
        find_work("西游计", corpus.stores)
    assert raised.value.data["near"] == ("西游补", "西游记")
    for name in ("id:99", "水浒", "", "99"):
        with pytest.raises(UnknownRecord):
            find_work(name, corpus.stores)


def test_works_of_an_older_database_are_identified_by_their_titles(corpus):
    add(corpus, "红楼梦")
    corpus.stores.database["works"].update_many({}, {"$unset": {"name": ""}})
    bring_up_to_date(corpus.stores.database, 2, new=False)
    assert find_work("紅樓夢", corpus.stores).title == "红楼梦"
