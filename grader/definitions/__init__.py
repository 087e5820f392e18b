"""Definitions of exercises, and their loading from YAML.

Every problem of a definition is a `DefinitionError` with file, line and column. The package itself
imports nothing, so that a command that grades one file imports only a few of its modules.
"""
