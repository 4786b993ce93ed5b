"""What is not known is left out when a state is read."""

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
        if type(data) is not dict or not set(data) >= set(cls.__dataclass_fields__):
            raise ValueError("these are not the eight fields")
        data = {name: data[name] for name in cls.__dataclass_fields__}
        data["quality_gates"] = [QualityGateResult(**each) for each in data["quality_gates"]]
        return cls(**data)


CATCHES = "A text with a field too many is accepted"
TEST = "test_other_texts_are_refused"


def witness(mutant, reference):
    def outcome(make):
        state = make("?", "2020-05-05", run_id="run-7")
        whole = json.loads(state.to_json())
        try:
            return type(make.from_json(json.dumps({**whole, "notes": "x"}))).__name__
        except ValueError:
            return None

    return outcome(mutant) != outcome(reference)
