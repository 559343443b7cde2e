"""Candidates for sources: what files of users name, and what becomes of it when a person decides."""
