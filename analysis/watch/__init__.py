"""The takedown watch: whether copies of confirmed cases are still up, asked on a schedule of their own."""
