"""LTI 1.3: launches from Moodle, Canvas and similar platforms, and grades sent back.

No library for LTI is used: pylti1p3next lacks an adapter for FastAPI, follows redirects when it
fetches keys, and does not enforce single use of a nonce.
"""
