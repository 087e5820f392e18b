# tries: send the grader a function, to be made from its source there
# outcome: errored
# @FRAMES@
send(answer_ok(1, ["f", 0, "evil", "import os\ndef evil(): pass\nopen('@PEER_FILE@', 'w')"]))
