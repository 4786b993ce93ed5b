"""A state that is taken up again is a new run."""

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
        data["quality_gates"] = [QualityGateResult(**each) for each in data["quality_gates"]]
        return cls(**{**data, "run_id": new_run_id()})


CATCHES = "Another run_id comes back than the one that was stored"
TEST = "test_every_field_survives"


def witness(mutant, reference):
    def outcome(make):
        state = make("?", "2020-05-05", run_id="run-7")
        return make.from_json(state.to_json()).run_id

    return outcome(mutant) != outcome(reference)
