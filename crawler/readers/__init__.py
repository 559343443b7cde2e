"""Readers: processes of their own that look into what strangers wrote, within bounds of time and memory."""
