"""Executors bring waiting submissions to the pool: a local thread, or a queue on PostgreSQL.

The store says what is pending; an executor is only notified sooner than it would look.
"""
