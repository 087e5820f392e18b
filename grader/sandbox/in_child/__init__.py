"""The part of the grader that runs in the same process as a submission.

Only this package is visible inside the sandbox. It imports only the standard library and NumPy, and
holds no secret. A submission may read and change all of it in its own process, but gains nothing by
that, because verdicts are made elsewhere.
"""
