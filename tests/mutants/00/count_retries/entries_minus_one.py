"""Whatever comes after the first attempt is a retry."""


def count_retries(trace: list[dict]) -> int:
    return max(0, len(trace) - 1)


CATCHES = "It looks as if entries are counted, whether they failed or not"
TEST = "test_successes_are_not_counted"


def witness(mutant, reference):
    def entry(ok, tool="read_note", name="alpha.txt"):
        seen = {"ok": ok} if ok else {"ok": ok, "error": "tool_unavailable"}
        return {"action": {"tool": tool, "args": {"name": name}}, "observation": seen}

    trace = [entry(True), entry(True)]
    return mutant(trace) != reference(trace)
