"""Unpacked results, and match on how many failed and how many questions are open."""


def run_quality_gates(state, *, as_of):
    one = check_coverage_gate(state)
    two = check_freshness_gate(state, as_of=as_of)
    three = check_consistency_gate(state)
    state.quality_gates[:] = one, two, three
    return [one, two, three]


def decide(state, *, as_of):
    failed = [said for said in run_quality_gates(state, as_of=as_of) if said.passed is False]
    state.synthesis_status = "in_progress"
    match len(failed), len(state.open_questions):
        case 0, _:
            return "in_progress"
        case _, 0:
            state.synthesis_status = "abstained"
            return "abstained"
    return "gather_more"
