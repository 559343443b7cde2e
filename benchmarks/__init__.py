"""The benchmark: every fingerprint method and its peers, on the same texts, in the same run.

``python -m benchmarks --help`` says how. Nothing in the product imports this package.
"""
