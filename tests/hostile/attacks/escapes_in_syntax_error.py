# tries: steer the terminal with the line that Python quotes in a syntax error
# outcome: errored
x = = "‮ @ESCAPE@[2J @ESCAPE@]0;t"
