"""Notices: the letters about a case, written from templates, sent at most once, and their replies."""
