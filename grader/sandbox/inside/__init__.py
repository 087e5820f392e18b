"""The code of ours that runs beside a submission.

Only this package is visible inside the sandbox. It uses the standard library and NumPy, imports
nothing else of ours and holds no secret. A submission may read and rewrite all of it in its own
process and gains nothing, because no verdict is made here.
"""
