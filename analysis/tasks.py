"""Celery tasks of what people do with matches: ids in, a small dict out; the work stands in the folders.

``tracker.celeryconfig`` names this module as a string, for the tracker imports nothing of ``analysis``.
"""
