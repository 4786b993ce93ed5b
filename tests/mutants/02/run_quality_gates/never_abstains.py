"""There is always something more to be found."""


def run_quality_gates(state, *, as_of):
    coverage = check_coverage_gate(state)
    freshness = check_freshness_gate(state, as_of=as_of)
    results = [coverage, freshness, check_consistency_gate(state)]
    state.quality_gates = results
    return results


def decide(state, *, as_of):
    passed = [each.passed for each in run_quality_gates(state, as_of=as_of)]
    if all(passed):
        state.synthesis_status = "in_progress"
        return "in_progress"
    state.synthesis_status = "in_progress"
    return "gather_more"


CATCHES = "The run wants to gather more although no question is open"
TEST = "test_every_gate_has_a_veto"


def state_of(make, *types, questions=(), status="pending"):
    items = [
        {"type": kind, "timestamp": "2020-05-05T11:00:00", "content": {"results": [{"published": "2020-05-01"}]}}
        for kind in types
    ]
    state = make(question="?", cutoff_date="2020-05-06", evidence=items, open_questions=list(questions))
    state.synthesis_status = status
    return state


def outcome(answer, *types, **fields):
    inside = answer.__globals__
    state = state_of(inside["AgentState"], *types, **fields)
    said = [len(answer(state, as_of="2020-05-05T12:00:00")) for _ in range(2)]
    decision = inside["decide"](state, as_of="2020-05-05T12:00:00")
    return said, decision, len(state.quality_gates), state.synthesis_status


def witness(mutant, reference):
    return outcome(mutant, "search_results") != outcome(reference, "search_results")
