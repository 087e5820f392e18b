"""The HTTP interface, which validates requests and describes itself by OpenAPI."""
