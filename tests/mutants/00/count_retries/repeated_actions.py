"""A retry is an action that is sent again."""


def count_retries(trace: list[dict]) -> int:
    actions = [entry["action"] for entry in trace]
    return sum(action in actions[:k] for k, action in enumerate(actions))


CATCHES = "It looks as if actions that were sent again are counted, not observations that failed"
TEST = "test_sent_again_is_not_failed"


def witness(mutant, reference):
    def entry(ok, tool="read_note", name="alpha.txt"):
        seen = {"ok": ok} if ok else {"ok": ok, "error": "tool_unavailable"}
        return {"action": {"tool": tool, "args": {"name": name}}, "observation": seen}

    trace = [entry(True), entry(True)]
    return mutant(trace) != reference(trace)
