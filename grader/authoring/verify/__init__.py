"""The proof of an exercise: runs in the real sandbox that check each claim about it.

`run` is one run of `etude verify`, and `prove` sends the runs of each exercise's `steps` through
the grading process. `checks` turns the verdicts into findings, each under a stable name of
`check_names`. `leaks` searches pages and student editions for hidden content. `cache` stores
proofs by content.
"""
