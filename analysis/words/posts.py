"""Posts of a thread in words: #12 北岸客 2024-03-02."""

from collections.abc import Sequence

from analysis.words.i18n import N_, Translator
from storage.records import Post

_LINE = N_("Posts: {posts}")
_LINE_POSTS = 5  # maximum number of posts in a line


def post_text(post: Post) -> str:
    """Return the known facts about a post: its position in the thread, its author and its date."""
    day = post.published.local.date().isoformat() if post.published else ""
    return " ".join(filter(None, (f"#{post.place}", post.author, day)))


def posts_text(posts: Sequence[Post], texts: Translator) -> str:
    """Return the names of the first posts in a list."""
    named = [post_text(post) for post in posts[:_LINE_POSTS]]
    more = ["…"] if len(posts) > len(named) else []
    return texts.gettext(", ").join(named + more)


def posts_line(posts: Sequence[Post], texts: Translator) -> str:
    """Return a line about the posts that contain copied text."""
    return texts.gettext(_LINE).format(posts=posts_text(posts, texts))
