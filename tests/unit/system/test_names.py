"""Names as people type them."""

import pytest

from system.errors import MistakenName, UnknownRecord
from system.names import MAX_NEAR, name_key, similar_names, unknown_record


@pytest.mark.parametrize("spelling", ["青燈渡", "《青灯渡》", " 青灯渡\u3000", "“青灯渡”"])
def test_spellings_of_a_name_have_the_same_key(spelling):
    assert name_key(spelling) == name_key("青灯渡") == "青灯渡"


def test_other_names_stay_apart():
    assert len({name_key(name) for name in ("青灯渡", "青灯渡2", "青 灯渡", "")}) == 4
    assert name_key("Ｎｅｗｓ  One") == "news one"


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("西游计", ("西游记", "西遊記")),
        ("红楼", ("红楼梦",)),
        ("紅樓夢影", ("红楼梦",)),
        ("8802", ("127.0.0.1:8802",)),
        ("水浒传", ()),
        ("", ()),
    ],
)
def test_similar_names_are_suggested(name, near):
    assert similar_names(name, ["西游记", "红楼梦", "西遊記", "127.0.0.1:8802", "镜花缘", ""]) == near


def test_likest_come_first_and_no_more_than_five():
    known_names = [f"青灯渡{number}" for number in range(9)]
    assert similar_names("青灯渡3", known_names)[0] == "青灯渡3"
    assert len(similar_names("青灯渡", known_names)) == MAX_NEAR


def test_error_suggests_similar_names():
    error = unknown_record(kind="work", name="西游计", known_names=["西游记", "西遊記"])
    assert type(error) is MistakenName
    assert str(error) == "There is no work called 西游计. Did you mean: 西游记, 西遊記?"
    assert type(unknown_record(kind="work", name="西游计", known_names=["红楼梦"])) is UnknownRecord
