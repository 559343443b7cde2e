"""Posts of forum threads."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from storage.records.times import ClaimedDate

MAX_POSTS = 10_000  # of a page: about 2 MB of the 16 MB that a document may have


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """One post of a thread: the text that one person wrote at one time.

    Attributes:
        start, end: its offsets in the text.
        place: its number in the thread, from 1; a reply inside a post has the number of the post.
        author, published: as printed on the page.
        quotes: quoted passages of earlier posts; not part of the text.
        signature: the author's signature; not part of the text.
    """

    start: int
    end: int
    place: int
    author: str | None = None
    published: ClaimedDate | None = None
    quotes: tuple[str, ...] = ()
    signature: str = ""


def fullest_posts(
    posts: Sequence[Post], stretches: Iterable[tuple[int, int]], *, most: int
) -> tuple[Post, ...]:
    """Return the posts that contain the most characters of the given stretches, in page order.

    Args:
        posts: of a page, in reading order.
        stretches: (start, end) of each.
        most: how many at most.
    """
    ends = [post.end for post in posts]
    held = Counter[int]()
    for start, end in stretches:
        for number in range(bisect_right(ends, start), len(posts)):
            if posts[number].start >= end:
                break
            held[number] += min(end, ends[number]) - max(start, posts[number].start)
    return tuple(posts[number] for number, _ in sorted(held.most_common(most)))
