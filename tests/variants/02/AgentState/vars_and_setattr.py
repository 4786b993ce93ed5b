"""The fields are read with vars and set one by one on an empty state."""

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
        data = dict(vars(self))
        data["quality_gates"] = [vars(each) for each in self.quality_gates]
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text):
        data = json.loads(text)
        if not isinstance(data, dict):
            raise ValueError("not an object")
        state = cls("", "")
        for name in list(vars(state)):
            if name not in data:
                raise ValueError(f"{name} is missing")
            setattr(state, name, data.pop(name))
        if data:
            raise ValueError("there is more than a state in it")
        state.quality_gates = [QualityGateResult(**each) for each in state.quality_gates]
        return state
