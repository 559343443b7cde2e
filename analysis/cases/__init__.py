"""Actions on cases: state changes, notes, assignees, deadlines and priorities."""
