"""How a record's fields are written where a program reads them."""
