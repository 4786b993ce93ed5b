"""No dataclass at all: a class with its own __init__, and lists that are made anew."""

import json

from course_lib.evidence import QualityGateResult, new_run_id

NAMES = (
    "question",
    "cutoff_date",
    "run_id",
    "evidence",
    "open_questions",
    "tool_trace",
    "quality_gates",
    "synthesis_status",
)


class AgentState:
    def __init__(
        self,
        question,
        cutoff_date,
        run_id=None,
        evidence=None,
        open_questions=None,
        tool_trace=None,
        quality_gates=None,
        synthesis_status="pending",
    ):
        self.question = question
        self.cutoff_date = cutoff_date
        self.run_id = run_id or new_run_id()
        self.evidence = evidence or []
        self.open_questions = open_questions or []
        self.tool_trace = tool_trace or []
        self.quality_gates = quality_gates or []
        self.synthesis_status = synthesis_status

    def to_json(self):
        gates = [vars(each) for each in self.quality_gates]
        return json.dumps({**{name: getattr(self, name) for name in NAMES}, "quality_gates": gates})

    @classmethod
    def from_json(cls, text):
        data = json.loads(text)
        if not isinstance(data, dict) or sorted(data) != sorted(NAMES):
            raise ValueError("these are not the eight fields")
        return cls(**{**data, "quality_gates": [QualityGateResult(**each) for each in data["quality_gates"]]})
