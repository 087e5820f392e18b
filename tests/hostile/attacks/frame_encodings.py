# tries: send the tree in another encoding than UTF-8
# outcome: errored
# @FRAMES@
send(raw('["l",2,"ok",null]'.encode("utf-16")))
