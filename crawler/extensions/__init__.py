"""Scrapy extensions, one a file: the counts that the tracker shows, and the lifeline to the tracker."""
