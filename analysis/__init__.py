"""Statistics, reports and their languages: what people see of a scan. Reads storage, changes nothing."""
