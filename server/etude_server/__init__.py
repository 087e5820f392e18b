"""The service: accepts submissions over HTTP, stores and grades them, and logs every step.

It is optional and needs the packages of `pip install etude[service]`.
"""
