"""Alerts: inform users and programs of events, each event once."""
