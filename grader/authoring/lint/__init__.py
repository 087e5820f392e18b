"""Rules for exercises that look at the files alone: nothing of an exercise is executed."""
