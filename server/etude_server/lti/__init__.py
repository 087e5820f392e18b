"""LTI 1.3: launches from Moodle, Canvas and the like, and grades sent back to them.

PyJWT is used directly: pylti1p3next has no adapter for FastAPI, follows redirects when it fetches
keys, and leaves single use of a nonce to its user.
"""
