"""Mutation testing of existing assignments: a report of the mistakes that their tests miss."""
