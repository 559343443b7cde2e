"""Evidence: captures of pages, and sealed packages of everything that supports a match.

A package is one file for a court, a site or a lawyer. ``layout`` lists its members, ``package`` writes it.
"""
