"""Evidence: the captures of pages, and sealed packages of all that a match rests on.

A package is one file that a court, a site or a lawyer keeps. ``layout`` names its members, ``package`` writes
it.
"""
