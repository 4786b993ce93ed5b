"""What the judge is asked to do, apart from the session of tests that does it: pytest takes a while to load."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from grader.judge.learner import Transport
from grader.judge.spec import TestSpec
from grader.judge.verdict import Verdict


@dataclass
class Job:
    """One notebook to judge: which exercises' tests to run, with which seed. `verdicts` fills as tests end."""

    transport: Transport
    exercises: frozenset[str]
    seed: int
    on_verdict: Callable[[Verdict], None] = lambda verdict: None
    verdicts: list[Verdict] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)

    def wants(self, spec: TestSpec) -> bool:
        """Whether this test is to be run for this job."""
        return spec.exercise in self.exercises
