"""Records, stores and the fingerprint index: the only package that talks to MongoDB and Redis.

MongoDB is the truth; everything in Redis (the index, the queues) can be lost and rebuilt from it.
"""
