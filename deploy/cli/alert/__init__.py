"""Commands: rules, addressees and messages of alerts."""
