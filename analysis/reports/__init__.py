"""Reports: what was scanned, what was found and what was not checked, built from the stores and rendered."""
