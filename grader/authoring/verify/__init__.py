"""The proof of an exercise: it is run in the real sandbox until nothing about it is left to faith.

`prove` drives each exercise's `steps` (what to run next) through the grading pool; `findings` turns
the verdicts into findings, each under the stable name of a check; `leaks` looks for hidden things
in pages and student editions; `proof_cache` remembers proofs by content.
"""
