"""Decisions about one match, as tests make them."""

from tracker.review.decisions import Ruling, decide


def confirm(match, stores, *, reason="", by=""):
    """Say that a match is an infringement; returns the decisions."""
    return decide([match], stores, ruling=Ruling(state="confirmed", reason=reason, by=by))


def dismiss(match, stores, *, reason, by=""):
    """Say that a match does not infringe; returns the decisions."""
    return decide([match], stores, ruling=Ruling(state="dismissed", reason=reason, by=by))


def set_aside(match, stores, *, reason, by=""):
    """Say that a match is doubtful; returns the decisions."""
    return decide([match], stores, ruling=Ruling(state="doubtful", reason=reason, by=by))
