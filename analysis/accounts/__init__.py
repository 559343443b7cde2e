"""Accounts of the console and the API: who may do what, how they sign in, and what they did."""
