"""What a learner has done on this machine, and what it has earned."""
