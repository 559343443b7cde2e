"""The posts of a page as data."""

from collections.abc import Sequence
from dataclasses import dataclass

from storage.records import ClaimedDate, Post


@dataclass(frozen=True, slots=True)
class ThreadPost:
    """One post of a page.

    Attributes:
        number: its number in the thread, from 1.
        author, published: as the post states them.
        lines: its text, without quotes and signature.
        quotes: the passages of earlier posts that it repeats.
        signature: text that its author adds below every post.
    """

    number: int
    author: str | None
    published: ClaimedDate | None
    lines: tuple[str, ...]
    quotes: tuple[str, ...] = ()
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Thread:
    """The posts of a page in reading order, without posts that have no text."""

    posts: tuple[ThreadPost, ...]

    @property
    def confidence(self) -> float:
        """Return the confidence that these are posts, in [0.5, 1]: the share of known authors and dates."""
        count = sum((post.author is not None) + (post.published is not None) for post in self.posts)
        return 0.5 + count / (4 * len(self.posts))


@dataclass(frozen=True, slots=True)
class PagePosts:
    """The role of the posts on a page.

    Attributes:
        thread: the posts are the page's text; None if it has another text, or no posts.
        comments: line numbers of readers' comments on the page's text.
    """

    thread: Thread | None = None
    comments: range = range(0)


NO_POSTS = PagePosts()


def spans(thread: Thread, sections: Sequence[Sequence[str]]) -> tuple[Post, ...]:
    """Return the posts with the offsets of their text.

    Args:
        thread: the posts.
        sections: for each post, its remaining lines; the text is all of them, joined by newlines.
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
