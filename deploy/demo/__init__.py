"""The demo: sample sites that copy the sample works in every disguise, and the expected verdicts."""
