"""Records, stores and the fingerprint index: the only package that talks to MongoDB and Redis.

MongoDB is the source of truth; everything in Redis (the index, the queues) can be lost and rebuilt from
MongoDB.

A function that uses MongoDB or Redis raises :class:`system.errors.ServiceDown` when the server does not
answer. The caller may repeat the call. Docstrings mention this error only if it has further consequences.
"""
