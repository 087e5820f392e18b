"""The service: accepts submissions over HTTP, stores and grades them, and logs every step.

Optional: it needs what `pip install etude[service]` brings.
"""
