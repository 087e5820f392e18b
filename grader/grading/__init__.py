"""From a definition and a submission to a verdict."""
