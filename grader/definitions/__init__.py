"""What an exercise is, and how its YAML becomes one.

Whatever is wrong with a definition is a `DefinitionError` with file, line and column. Nothing is
imported with the package: a command that grades one file starts with a few of its modules.
"""
