"""What a match amounts to: profiles of thresholds, verdicts, licences, works that belong together, cases."""
