"""The frontier of a crawl and the pace of requests to hosts, in Redis and in memory."""
