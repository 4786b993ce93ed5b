"""The fields are written out one by one, and one is forgotten."""

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
        names = ["question", "cutoff_date", "run_id", "evidence", "open_questions", "synthesis_status"]
        gates = [dataclasses.asdict(each) for each in self.quality_gates]
        return json.dumps({**{name: getattr(self, name) for name in names}, "quality_gates": gates})

    @classmethod
    def from_json(cls, text):
        data = json.loads(text)
        if type(data) is not dict or set(data) | {"tool_trace"} != set(cls.__dataclass_fields__):
            raise ValueError("these are not the eight fields")
        data["quality_gates"] = [QualityGateResult(**each) for each in data["quality_gates"]]
        return cls(**data)


CATCHES = "tool_trace does not come back as it was"
TEST = "test_every_field_survives"


def witness(mutant, reference):
    def outcome(make):
        state = make("?", "2020-05-05", run_id="run-7")
        state.tool_trace = [{"tool": "search"}]
        return make.from_json(state.to_json()).tool_trace

    return outcome(mutant) != outcome(reference)
