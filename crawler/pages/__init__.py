"""The processing of a fetched address: read, join, compare with the last visit, and store with evidence."""
