# tries: announce an answer of four gigabytes
# outcome: errored
# @FRAMES@
send(struct.pack("<II", 0xFFFFFFFF, 0xFFFFFFFF))
