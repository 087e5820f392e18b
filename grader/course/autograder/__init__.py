"""An autograder as Gradescope takes it: a zip that installs Etude and grades chosen exercises."""
