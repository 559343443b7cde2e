"""Tracking: candidates, alignment, verdicts, and the Celery tasks that run them. Imports nothing."""
