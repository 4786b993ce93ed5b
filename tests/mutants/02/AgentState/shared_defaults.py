"""An empty list as a default is a new list each time."""

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
        evidence=[],  # noqa: B006
        open_questions=[],  # noqa: B006
        tool_trace=[],  # noqa: B006
        quality_gates=[],  # noqa: B006
        synthesis_status="pending",
    ):
        self.question = question
        self.cutoff_date = cutoff_date
        self.run_id = run_id or new_run_id()
        self.evidence = evidence
        self.open_questions = open_questions
        self.tool_trace = tool_trace
        self.quality_gates = quality_gates
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


CATCHES = "Two new states share one list"
TEST = "test_states_share_nothing"


def witness(mutant, reference):
    def outcome(make):
        one, other = (make("?", "2020-05-05") for _ in range(2))
        one.evidence.append(1)
        return len(other.evidence)

    return outcome(mutant) != outcome(reference)
