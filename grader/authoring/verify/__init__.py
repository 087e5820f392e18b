"""The proof of an exercise: runs in the real sandbox that check each claim about it.

`prove` sends the runs of each exercise's `steps` through the grading pool. `findings` turns the
verdicts into findings, each under the stable name of a check. `leaks` searches pages and student
editions for hidden content. `proof_cache` stores proofs by content.
"""
