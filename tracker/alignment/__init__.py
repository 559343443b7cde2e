"""Where a page and a passage agree: stretches, column by column, and the disguises in them."""
