"""Pages of posts: forum threads, novels posted floor by floor, questions with their answers. Pure."""

from crawler.extraction.threads.finding import find_posts
from crawler.extraction.threads.thread import NO_POSTS, PagePosts, Thread, ThreadPost, spans

__all__ = ["NO_POSTS", "PagePosts", "Thread", "ThreadPost", "find_posts", "spans"]
