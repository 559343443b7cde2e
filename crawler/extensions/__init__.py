"""Scrapy extensions, one a file: counts for the tracker, leases, and the lifeline to the tracker."""
