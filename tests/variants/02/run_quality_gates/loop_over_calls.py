"""The gates are a list of calls; the decision is looked up by two answers."""


def run_quality_gates(state, *, as_of):
    gates = [check_coverage_gate, lambda each: check_freshness_gate(each, as_of=as_of), check_consistency_gate]
    state.quality_gates.clear()
    for gate in gates:
        state.quality_gates.append(gate(state))
    return list(state.quality_gates)


def decide(state, *, as_of):
    run_quality_gates(state, as_of=as_of)
    refused = sum(not each.passed for each in state.quality_gates) > 0
    table = {
        (False, False): ("in_progress", "in_progress"),
        (False, True): ("in_progress", "in_progress"),
        (True, True): ("gather_more", "in_progress"),
        (True, False): ("abstained", "abstained"),
    }
    answer, state.synthesis_status = table[refused, len(state.open_questions) > 0]
    return answer
