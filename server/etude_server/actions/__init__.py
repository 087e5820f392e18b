"""What people do to the course: the rules, the transaction and the audit record of each action."""
