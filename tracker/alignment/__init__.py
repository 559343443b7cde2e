"""Alignment of a page with a passage: stretches, columns and disguises."""
