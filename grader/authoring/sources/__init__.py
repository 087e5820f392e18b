"""Readers of existing material: files of other tools become drafts or an assignment.

A reader never runs code of its source. `importing` writes exercises from drafts, and an audit runs
the tests of an assignment.
"""
