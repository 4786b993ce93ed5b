"""The dicts of the trace are already there; a row can hold them."""


def transitions(trace):
    rows, retries = [], 0
    for k, step in enumerate(trace):
        if not step["observation"]["ok"]:
            retries += 1
        rows.append(
            {
                "k": k,
                "action": step["action"],
                "observation": step["observation"],
                "steps": k + 1,
                "retries": retries,
            }
        )
    return rows


CATCHES = "The record shares something with the trace: a later change shows"
TEST = "test_record_does_not_change_later"


def witness(mutant, reference):
    def later(transitions):
        trace = [{"action": {"tool": "read_note", "args": {"name": "alpha.txt"}}, "observation": {"ok": True}}]
        rows = transitions(trace)
        trace[0]["action"]["args"]["name"] = "beta.txt"
        return rows

    return later(mutant) != later(reference)
