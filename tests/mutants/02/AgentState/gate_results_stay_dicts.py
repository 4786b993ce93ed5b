"""The same bytes come back, so everything is as it was."""

import dataclasses
import json
from dataclasses import dataclass, field

from course_lib.evidence import QualityGateResult, new_run_id


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
        data = json.loads(text)
        if type(data) is not dict or set(data) != set(cls.__dataclass_fields__):
            raise ValueError("these are not the eight fields")
        return cls(**data)


CATCHES = "The gate results come back as dicts"
TEST = "test_gate_results_keep_their_type"


def witness(mutant, reference):
    def outcome(make):
        state = make("?", "2020-05-05", run_id="run-7")
        state.quality_gates = [QualityGateResult("weather", True, "dry", {})]
        return type(make.from_json(state.to_json()).quality_gates[0])

    return outcome(mutant) != outcome(reference)
