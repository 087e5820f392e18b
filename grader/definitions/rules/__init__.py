"""The rules for definitions, beyond the types of their fields.

A rule is a function that yields problems with their places. There is one module each for rules
about the exercise as a whole, its tests, and its Python code. Rules for tracks are in
`grader.definitions.track`.
"""
