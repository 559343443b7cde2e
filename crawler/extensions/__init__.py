"""Scrapy extensions: progress reports, leases, time limits, and the check of the parent process."""
