"""Import of exercises in other formats: read, repaired, written as definitions, and proven.

`read_source` chooses a reader of `sources`, which turns a source into drafts. `fill_in` adds the
parts that the format requires, `write` writes the files, and `verify_imported` reports the
problems. Code of a source runs only in this last step, and only in the sandbox.
"""
