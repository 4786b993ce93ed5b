"""Saving must not fail, so what JSON does not know is saved as text."""

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
        return json.dumps(dataclasses.asdict(self), default=str)

    @classmethod
    def from_json(cls, text):
        data = json.loads(text)
        if type(data) is not dict or set(data) != set(cls.__dataclass_fields__):
            raise ValueError("these are not the eight fields")
        data["quality_gates"] = [QualityGateResult(**each) for each in data["quality_gates"]]
        return cls(**data)


CATCHES = "A value that JSON cannot hold is saved as something else"
TEST = "test_what_json_cannot_hold_is_refused"


def witness(mutant, reference):
    def outcome(make):
        state = make("?", "2020-05-05", run_id="run-7")
        state.open_questions = [{1, 2}]
        try:
            return type(state.to_json())
        except TypeError:
            return None

    return outcome(mutant) != outcome(reference)
