"""Exercises of other formats: found, read, repaired, written as definitions, and then proven.

A reader (`document`, `problems`, `exercism`, `notebook`) turns a source into drafts; `complete`
gives a draft what the format asks for; `write` makes files of drafts; `examine` says what is wrong
with them. Nothing of a source runs before `examine`, and there only in the sandbox.
"""
