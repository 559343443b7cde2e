"""Two texts side by side: excerpts, marked changes, shares, and drawings of DNA. Pure."""
