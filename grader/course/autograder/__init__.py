"""A Gradescope autograder: a zip that installs Etude and grades chosen exercises."""
