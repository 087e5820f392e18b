"""The actions of staff on a course: the rules, the transaction and the audit record of each."""
