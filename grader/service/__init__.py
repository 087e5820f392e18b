"""The service: takes submissions over HTTP, keeps them, has them graded, and remembers every step.

Optional: it needs what `pip install etude[service]` brings.
"""
