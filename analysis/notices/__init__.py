"""Notices about cases: made from templates, sent at most once, answered or not."""
