"""The sentences that a learner reads, and the values that are shown with them."""
