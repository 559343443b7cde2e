"""Notices: letters about a case, written from templates and sent at most once, and their replies."""
