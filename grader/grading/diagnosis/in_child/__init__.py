"""The part of the diagnosis that runs in children of its own, which end with the search.

Only the source of a module is sent there. So each one imports only the standard library and NumPy,
and its answer is plain data, which the trusted side checks.
"""
