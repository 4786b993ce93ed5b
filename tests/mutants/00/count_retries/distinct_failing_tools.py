"""A tool that is broken is one failure, however often it is called."""


def count_retries(trace: list[dict]) -> int:
    return len({entry["action"]["tool"] for entry in trace if not entry["observation"]["ok"]})


CATCHES = "It looks as if a tool that fails is counted once, however often it fails"
TEST = "test_one_tool_fails_often"


def witness(mutant, reference):
    def entry(ok, tool="read_note", name="alpha.txt"):
        seen = {"ok": ok} if ok else {"ok": ok, "error": "tool_unavailable"}
        return {"action": {"tool": tool, "args": {"name": name}}, "observation": seen}

    trace = [entry(False), entry(False)]
    return mutant(trace) != reference(trace)
