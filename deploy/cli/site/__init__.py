"""Commands: what is known of sites, and whom to write to."""
