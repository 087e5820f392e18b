"""The rules for definitions, beyond the types of their fields.

A rule is a function that yields problems with their places; the modules here hold them by what they
look at: the exercise as a whole, its tests, and the Python in both. Rules for a track stand in
`grader.definitions.track`.
"""
