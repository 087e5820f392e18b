# tries: announce an answer just under the cap, send a little of it and hang up
# outcome: errored
# @FRAMES@
send(struct.pack("<II", 1 << 20, 64 << 20) + b"[" * 1000)
os._exit(0)
