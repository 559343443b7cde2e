"""Fingerprints of Chinese text: text in, arrays out. No I/O, no clock, no environment, no logging."""
