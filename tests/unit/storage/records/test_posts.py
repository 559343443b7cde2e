"""Which posts of a thread a match is named by."""

from storage.records import Post, fullest_posts

POSTS = [Post(start=at, end=at + 9, place=at // 10) for at in range(0, 100, 10)]


def places(stretches, most=20):
    return [post.place for post in fullest_posts(POSTS, stretches, most=most)]


def test_posts_of_a_stretch_are_those_it_reaches_into():
    assert places([(9, 10)]) == []
    assert places([(8, 11)]) == [0, 1]
    assert places([(0, 100)]) == list(range(10))
    assert places([(95, 99), (12, 14)]) == [1, 9]


def test_fullest_are_named_in_their_order():
    assert places([(0, 100), (55, 59), (21, 29)], most=2) == [2, 5]
    assert fullest_posts([], [(0, 9)], most=2) == ()
