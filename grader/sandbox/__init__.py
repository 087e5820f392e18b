"""Runs submissions where they can do no harm; see `ARCHITECTURE.md` for the trust boundary."""
