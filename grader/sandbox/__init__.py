"""The sandbox in which submissions run; see `ARCHITECTURE.md` for the trust boundary."""
