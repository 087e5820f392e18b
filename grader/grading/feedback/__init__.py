"""The sentences that learners read, and the values that are shown with them."""
