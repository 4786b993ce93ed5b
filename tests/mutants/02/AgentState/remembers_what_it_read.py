"""The same text is read once and kept, to save time."""

import dataclasses
import json
from dataclasses import dataclass, field
from functools import cache

from course_lib.evidence import QualityGateResult, new_run_id


read = cache(json.loads)


@dataclass
class AgentState:
    question: str
    cutoff_date: str
    run_id: str = field(default_factory=new_run_id)
    evidence: list = field(default_factory=list)
    open_questions: list = field(default_factory=list)
    tool_trace: list = field(default_factory=list)
    quality_gates: list = field(default_factory=list)
    synthesis_status: str = "pending"

    def to_json(self):
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text):
        data = read(text)
        if type(data) is not dict or set(data) != set(cls.__dataclass_fields__):
            raise ValueError("these are not the eight fields")
        gates = [QualityGateResult(**each) for each in data["quality_gates"]]
        return cls(**{**data, "quality_gates": gates})


CATCHES = "Two states that were restored from one text share their evidence"
TEST = "test_states_share_nothing"


def witness(mutant, reference):
    def outcome(make):
        state = make("?", "2020-05-05", run_id="run-7")
        state.evidence = [{"query": "a"}]
        one, other = (make.from_json(state.to_json()) for _ in range(2))
        one.evidence.clear()
        return other.evidence

    return outcome(mutant) != outcome(reference)
