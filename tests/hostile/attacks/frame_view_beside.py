# tries: return the memory beside an argument, where the test keeps what it expects
# outcome: failed
import sys

server = sys.modules["in_child.submission_server"]
true_answer = server.SubmissionServer._answer
# @FRAMES@


def forged(self, request, shared, of):
    number, *words = request
    if words[:3] != ["warnings", "changes", "call"]:
        return true_answer(self, request, shared, of)
    length = shared.objects[0].shape[0]
    beside = ["v", 0, 8, [16], [16], ["a", "<f8", [length], 0]]
    value = ["l", ["l", beside, None], ["l"], 0]
    return [frame(["l", number, "ok", value], bytes(8 * length))]


server.SubmissionServer._answer = forged


def answer(x):
    return x
