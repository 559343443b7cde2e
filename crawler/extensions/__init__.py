"""Scrapy extensions, one a file: the counts that the tracker shows, leases, and the lifeline to the tracker."""
