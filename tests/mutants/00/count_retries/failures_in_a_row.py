"""Only failures in a row are retries: a success starts the count anew."""


def count_retries(trace: list[dict]) -> int:
    in_a_row = 0
    for entry in trace:
        in_a_row = 0 if entry["observation"]["ok"] else in_a_row + 1
    return in_a_row


CATCHES = "It looks as if a success sets the count back to 0"
TEST = "test_failures_around_a_success"


def witness(mutant, reference):
    def entry(ok, tool="read_note", name="alpha.txt"):
        seen = {"ok": ok} if ok else {"ok": ok, "error": "tool_unavailable"}
        return {"action": {"tool": tool, "args": {"name": name}}, "observation": seen}

    trace = [entry(False), entry(True), entry(False)]
    return mutant(trace) != reference(trace)
