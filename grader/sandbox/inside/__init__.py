"""Everything of ours that runs beside a submission.

This package is the only code that is visible inside the sandbox. It uses the standard library and
NumPy, imports nothing else of ours and holds no secret: a submission may read and rewrite all of
it in its own process and gains nothing, because a verdict is never taken from here.
"""
