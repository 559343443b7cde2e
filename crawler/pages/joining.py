"""Joins the texts, and the posts, of consecutive pages. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from storage.records import Post

_SENTENCE_ENDS = frozenset("。！？…”’」』）)》】!?.~—；;：:")
_MAX_OVERLAP = 20  # lines that two parts may share


def join_texts(texts: Sequence[str]) -> str:
    """Return the text of consecutive pages.

    Lines that end one part and begin the next are kept once, as is a heading repeated on each part; a
    sentence cut at the end of a part continues without a break.
    """
    joined: list[str] = []
    for text in texts:
        lines = [line for line in text.split("\n") if line]
        lines = lines[_overlap(joined, lines) :]
        if joined and lines and lines[0] == joined[0]:
            lines = lines[1:]
        if joined and lines and joined[-1][-1] not in _SENTENCE_ENDS:
            joined[-1] += lines.pop(0)
        joined += lines
    return "\n".join(joined)


def join_posts(pages: Sequence[tuple[str, Sequence[Post]]]) -> tuple[str, tuple[Post, ...]]:
    """Return the text and the posts of a thread's consecutive pages.

    A post that each page shows again, as the first one of some forums, is kept once. Where pages number their
    posts from the beginning again, the numbers go on.

    Args:
        pages: text and posts of each.
    """
    texts: list[str] = []
    posts: list[Post] = []
    known: set[tuple[object, ...]] = set()
    at = last = 0
    for text, own in pages:
        kept = [
            post for post in own if (post.author, post.published, text[post.start : post.end]) not in known
        ]
        known.update((post.author, post.published, text[post.start : post.end]) for post in own)
        offset = max(0, last + 1 - kept[0].place) if kept and last else 0
        for post in kept:
            written = text[post.start : post.end]
            last = post.place + offset
            posts.append(replace(post, start=at, end=at + len(written), place=last))
            if written:
                texts.append(written)
                at += len(written) + 1
    return "\n".join(texts), tuple(posts)


def _overlap(joined: list[str], lines: list[str]) -> int:
    """Return how many lines end ``joined`` and begin ``lines``."""
    longest = min(len(joined), len(lines), _MAX_OVERLAP)
    return next((size for size in range(longest, 0, -1) if joined[-size:] == lines[:size]), 0)
