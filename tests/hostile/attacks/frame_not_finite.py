# tries: send numbers that JSON does not have, for the number of the request and for the value
# outcome: errored
# @FRAMES@
send(raw(b'["l",NaN,"ok",[Infinity,-Infinity,1e999]]'))
