"""The demo: sample sites that copy the sample works in every disguise, and what a scan must find there."""
