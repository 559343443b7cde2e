"""Files and pages of strangers, read in processes that are bounded in time and memory."""
