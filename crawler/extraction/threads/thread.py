"""What a page of posts holds."""

from collections.abc import Sequence
from dataclasses import dataclass

from storage.records import ClaimedDate, Post


@dataclass(frozen=True, slots=True)
class ThreadPost:
    """One post of a page.

    Attributes:
        number: its number in the thread, from 1.
        author, published: as it says.
        lines: its text, without quotes and signature.
        quotes: the passages of earlier posts that it repeats.
        signature: what its author puts below every post.
    """

    number: int
    author: str | None
    published: ClaimedDate | None
    lines: tuple[str, ...]
    quotes: tuple[str, ...] = ()
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Thread:
    """The posts of a page in reading order; those without any text are left out."""

    posts: tuple[ThreadPost, ...]

    @property
    def confidence(self) -> float:
        """Return how sure these are posts, in [0.5, 1]: by the share of known authors and dates."""
        count = sum((post.author is not None) + (post.published is not None) for post in self.posts)
        return 0.5 + count / (4 * len(self.posts))


@dataclass(frozen=True, slots=True)
class PagePosts:
    """What a page's posts are.

    Attributes:
        thread: they are the page's text; None where it has another one, or no posts.
        comments: numbers of the lines of readers' comments on the page's text.
    """

    thread: Thread | None = None
    comments: range = range(0)


NO_POSTS = PagePosts()


def spans(thread: Thread, sections: Sequence[Sequence[str]]) -> tuple[Post, ...]:
    """Return the posts with the places of their text.

    Args:
        thread: the posts.
        sections: of each, the lines that are left of it; the text is all of them, a newline between two.
    """
    posts: list[Post] = []
    at = 0
    for post, lines in zip(thread.posts, sections, strict=True):
        end = at + len("\n".join(lines))
        posts.append(
            Post(
                start=at,
                end=end,
                place=post.number,
                author=post.author,
                published=post.published,
                quotes=post.quotes,
                signature=post.signature,
            )
        )
        at = end + 1 if lines else at
    return tuple(posts)
