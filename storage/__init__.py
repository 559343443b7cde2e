"""Records, stores and the fingerprint index: the only package that talks to MongoDB and Redis.

MongoDB is the truth; everything in Redis (the index, the queues) can be lost and rebuilt from it.

A function that uses MongoDB or Redis raises :class:`system.errors.ServiceDown` when the server does not
answer. The caller may repeat the call. Docstrings mention this error only if more follows from it.
"""
