"""Spiders: which addresses to ask for next. What is in a page is :mod:`crawler.extraction`'s business."""
