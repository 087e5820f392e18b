"""Importers of exercises in other formats: read, repaired, written as definitions, and proven.

A reader, chosen by `read_source`, turns a source into drafts; it is named for what it reads;
`fill_in` gives a draft what the format asks for; `write` makes files of drafts; `verify_imported`
says what is wrong with them. Nothing of a source runs before that, and then only in the sandbox.
"""
