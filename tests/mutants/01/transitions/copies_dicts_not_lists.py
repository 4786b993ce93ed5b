"""Dicts are copied all the way down; a list is only a list of names."""


def _copied(value):
    return {key: _copied(inner) for key, inner in value.items()} if isinstance(value, dict) else value


def transitions(trace):
    rows, retries = [], 0
    for k, step in enumerate(trace):
        retries += step["observation"]["ok"] is False
        rows.append({"k": k, **_copied(step), "steps": k + 1, "retries": retries})
    return rows


CATCHES = "The record shares something with the trace: a later change shows"
TEST = "test_record_does_not_change_later"


def witness(mutant, reference):
    def later(transitions):
        seen = {"ok": True, "notes": ["alpha.txt"]}
        rows = transitions([{"action": {"tool": "list_notes", "args": {}}, "observation": seen}])
        seen["notes"].append("beta.txt")
        return rows

    return later(mutant) != later(reference)
