"""Retrying is over as soon as something works."""


def count_retries(trace: list[dict]) -> int:
    retries = 0
    for entry in trace:
        if entry["observation"]["ok"]:
            break
        retries += 1
    return retries


CATCHES = "It looks as if the counting stops at the first success"
TEST = "test_failures_after_a_success"


def witness(mutant, reference):
    def entry(ok, tool="read_note", name="alpha.txt"):
        seen = {"ok": ok} if ok else {"ok": ok, "error": "tool_unavailable"}
        return {"action": {"tool": tool, "args": {"name": name}}, "observation": seen}

    trace = [entry(True), entry(False)]
    return mutant(trace) != reference(trace)
