"""The record of a learner on this machine: attempts, hints, XP."""
