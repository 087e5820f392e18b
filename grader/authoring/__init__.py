"""The tools of authors: proofs, lint, templates, imports."""
