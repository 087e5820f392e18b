"""The sandbox in which submissions run. `ARCHITECTURE.md` describes the trust boundary."""
