"""The frontier of a crawl, in Redis and in memory, and the pace at which hosts are asked."""
