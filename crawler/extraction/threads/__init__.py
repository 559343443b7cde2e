"""Pages of posts: forum threads, novels in posts, questions with answers. Pure."""

from crawler.extraction.threads.finding import find_posts
from crawler.extraction.threads.thread import NO_POSTS, PagePosts, Thread, ThreadPost, spans

__all__ = ["NO_POSTS", "PagePosts", "Thread", "ThreadPost", "find_posts", "spans"]
