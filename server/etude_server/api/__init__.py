"""The HTTP interface: it checks requests, and OpenAPI describes its responses."""
