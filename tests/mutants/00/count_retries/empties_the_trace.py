"""The trace is mine to take apart while I count."""


def count_retries(trace: list[dict]) -> int:
    retries = 0
    while trace:
        if not trace.pop()["observation"]["ok"]:
            retries += 1
    return retries


CATCHES = "Your function changed the trace that it was given"
TEST = "test_the_trace_is_left_alone"


def witness(mutant, reference):
    def entry(ok, tool="read_note", name="alpha.txt"):
        seen = {"ok": ok} if ok else {"ok": ok, "error": "tool_unavailable"}
        return {"action": {"tool": tool, "args": {"name": name}}, "observation": seen}

    def left(count):
        trace = [entry(False), entry(True)]
        count(trace)
        return trace

    return left(mutant) != left(reference)
