"""Commands: what to crawl."""
