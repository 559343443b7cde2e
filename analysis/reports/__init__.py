"""Build reports about scans, matches and unchecked pages, and render them in several formats."""
