"""Alembic migrations to this version's tables."""
