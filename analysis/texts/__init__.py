"""Two texts side by side: excerpts, changed characters marked, shares, DNA drawn. Pure."""
