"""Pages of posts: forum threads, novels posted floor by floor, questions with their answers. Pure."""

from crawler.extraction.threads.finding import find_thread
from crawler.extraction.threads.thread import Thread, ThreadPost, spans

__all__ = ["Thread", "ThreadPost", "find_thread", "spans"]
