"""Judgement of matches: profiles of thresholds, verdicts, licences, related works, cases."""
