"""Texts for users: labels, templates, the Chinese catalogue, and foreign text made safe to display."""
