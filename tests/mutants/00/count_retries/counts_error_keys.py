"""An observation has failed when it holds an error."""


def count_retries(trace: list[dict]) -> int:
    return sum("error" in entry["observation"] for entry in trace)


CATCHES = "It looks as if `error` decides what failed, not `ok`"
TEST = "test_only_ok_decides"


def witness(mutant, reference):
    action = {"tool": "read_note", "args": {"name": "alpha.txt"}}
    trace = [{"action": action, "observation": {"ok": False}}]
    return mutant(trace) != reference(trace)
