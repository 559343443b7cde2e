"""MongoDB documents: a store for each collection, leases and the schema. ``stores`` opens them."""
