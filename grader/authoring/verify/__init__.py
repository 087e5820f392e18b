"""The proof of an exercise: it is run in the real sandbox until nothing about it is left to faith.

`prove` drives each exercise's `inquiry` (what to run next) through the grading pool; `judge` turns
what came out into findings, each under the stable name of a check; `leaks` looks for hidden things
in pages and student editions; `cache` remembers proofs by content.
"""
