"""Foundations for every layer: errors, exit statuses, files, processes, logging, names and addresses.

Modules of this package store nothing and know nothing about copy detection.
"""
