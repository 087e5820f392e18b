"""The server's commands: `etude serve`, `worker`, `regrade` and `staff`."""
