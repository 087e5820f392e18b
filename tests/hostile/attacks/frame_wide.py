# tries: send more parts than are allowed
# outcome: errored
# @FRAMES@
send(raw(b'["l",1,"ok",["l"' + b",1" * 400_000 + b"]]"))
