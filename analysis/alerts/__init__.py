"""Alerts: what people and programs are told of what happened, each finding once."""
