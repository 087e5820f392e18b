"""Definitions of exercises, and their loading from YAML.

Whatever is wrong with a definition is a `DefinitionError` with file, line and column. Nothing is
imported with the package: a command that grades one file starts with a few of its modules.
"""
