"""One description of each record: its fields with name, label, format and who may see them.

Answers of the API, ``--json``, CSV, workbooks, figures and facts are built from these descriptions, so a new
field is described once. :mod:`analysis.fields.field` says what a description consists of; there is one
module for each kind of record.
"""
