"""A deep copy of the restored state, from which items are popped from the back."""

import copy


def ablate(checkpoint, evidence_type, *, as_of):
    before = AgentState.from_json(checkpoint)
    after = copy.deepcopy(before)
    for at in reversed(range(len(after.evidence))):
        if after.evidence[at]["type"] == evidence_type:
            after.evidence.pop(at)
    decide(after, as_of=as_of)
    decide(before, as_of=as_of)
    return dict(before=before, after=after)
