"""The proof of an exercise: runs in the real sandbox that check each claim about it.

`verification` is one run of `etude verify`, and `prove` sends the runs of each exercise's `steps`
through the pool of workers. `findings` makes findings of the verdicts, each under a stable name of
`check_names`. `leaks` searches pages and student editions for hidden content. `proof_cache` stores
proofs by content.
"""
