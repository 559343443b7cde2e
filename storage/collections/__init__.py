"""MongoDB documents: a store for each collection, leases and the schema. Use ``stores`` to open them."""
