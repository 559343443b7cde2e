"""Commands: accounts, tokens, and what is stored of a person."""
