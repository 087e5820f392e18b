# tries: number lines differently than an editor by odd line ends
# outcome: errored
x = 1
y = "  "; raise ValueError("line")
