"""The takedown watch: check on a schedule whether the copies of confirmed cases are still up."""
