"""Descriptions of records. Each field has a name, a label, a format, and the roles that may see it.

Answers of the API, ``--json``, CSV, workbooks, figures and facts are built from these descriptions, so a new
field is described only once. :mod:`analysis.fields.field` defines the description of a field. There is one
module for each kind of record.
"""
