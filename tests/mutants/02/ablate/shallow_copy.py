"""A copy of the state is a copy of all that is in it."""

import copy


def ablate(checkpoint, evidence_type, *, as_of):
    before = AgentState.from_json(checkpoint)
    after = copy.copy(before)
    after.evidence = [each for each in after.evidence if each["type"] != evidence_type]
    decide(before, as_of=as_of)
    decide(after, as_of=as_of)
    return {"before": before, "after": after}


CATCHES = "Both sides share one list, or its entries: evidence"
TEST = "test_the_sides_share_nothing"


def witness(mutant, reference):
    items = [
        {"type": kind, "timestamp": "2020-05-05T11:00:00", "query": kind, "content": {"results": []}}
        for kind in ("search_results", "search_results", "base_rate")
    ]
    trace = [{"tool": "search", "query": each["query"], "status": "success"} for each in items]
    make = reference.__globals__["AgentState"]
    state = make("?", "2020-05-06", evidence=items, tool_trace=trace, synthesis_status="complete")
    text = state.to_json()

    def outcome(answer):
        sides = answer(text, "base_rate", as_of="2020-05-05T12:00:00")
        sides["after"].evidence[0]["query"] = "changed"
        return [vars(sides[side]) for side in ("before", "after")]

    return outcome(mutant) != outcome(reference)
