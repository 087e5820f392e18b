"""The part of an audit that runs in confined processes, together with untrusted code."""
