"""The HTTP interface: what it takes in is checked here, what it answers is described by OpenAPI."""
