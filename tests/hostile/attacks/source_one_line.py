# tries: put sixty kilobytes into one line, to make a message about it that long
# outcome: errored
x = "@TIMES 60000 y@" +
