"""What authors of exercises work with: proofs, templates, imports."""
