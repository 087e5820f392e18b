"""Mutation testing of assignments that exist already: what do their tests not catch?"""
