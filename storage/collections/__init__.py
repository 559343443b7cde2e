"""Documents of MongoDB: one store a collection, the leases in them, their schema. Opened by ``stores``."""
