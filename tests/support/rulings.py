"""Decisions about one match, as tests make them."""

from tracker.review.decisions import Ruling, decide


def confirm(match, stores, *, because="", by=""):
    """Say that a match is an infringement; returns the decisions."""
    return decide([match], stores, ruling=Ruling(state="confirmed", because=because, by=by))


def dismiss(match, stores, *, because, by=""):
    """Say that a match does not infringe; returns the decisions."""
    return decide([match], stores, ruling=Ruling(state="dismissed", because=because, by=by))


def set_aside(match, stores, *, because, by=""):
    """Say that a match is doubtful; returns the decisions."""
    return decide([match], stores, ruling=Ruling(state="doubtful", because=because, by=by))
