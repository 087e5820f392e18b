"""The part of an audit that runs in confined processes, beside code that is not trusted."""
