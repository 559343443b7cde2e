"""Response models of the API: records as JSON, with the documented fields."""
