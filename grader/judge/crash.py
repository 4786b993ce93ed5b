"""`learner.crash`: what a test uses to kill an answer, start it again, and look at what is left.

    made = learner.crash.sweep("commit_local", lambda: (store(), key, payload))
    rows = learner.crash.rows(made, "SELECT count(*) FROM effects WHERE key = ?", key)
    promise({count for [(count,)] in rows} == {1}, "...")

Witnesses of effects are objects behind `learner.remote(...)`: they stay in this process and see the calls of their own
case alone. Databases and files are read by a confined process that runs no learner code.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course_lib import crash
from course_lib.closure import NotWrittenError
from course_lib.crash import Bench, Case, Ending, Sweep, SweepError
from course_lib.race import Run, run_race
from grader.judge.api import AnswerRaised
from grader.kernel import wire
from grader.kernel.trouble import Trouble

if TYPE_CHECKING:
    from grader.judge.learner import Learner, Outcome
    from grader.kernel.crash import Crashes

Args = tuple[Any, ...]
MakeArgs = Callable[[], Args]


class Desk:
    """How values cross for one run. It knows the objects of that run's arguments and no others."""

    def __init__(self, learner: Learner) -> None:
        self.view = type(learner)(learner.transport)

    def pack(self, args: Sequence[Any]) -> list[Any]:
        """The arguments on the wire."""
        return [wire.encode(arg, self._ref) for arg in args]

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """Serve a call on an object that stays here."""
        return self.view._callback(message)

    def outcome(self, said: dict[str, Any], args: int) -> Outcome:
        """What a child said of its end, decoded strictly."""
        return self.view._outcome(said, args, 0.0)

    def raised(self, outcome: Outcome) -> Exception | None:
        """What ends the test when the run that nobody disturbed raised."""
        return AnswerRaised(outcome.error) if outcome.error is not None else None

    def _ref(self, value: Any) -> wire.Ref | None:
        from grader.judge.learner import Remote

        return self.view.remote(value.obj).ref if isinstance(value, Remote) else self.view._ref(value)


@dataclass
class CrashTests:
    """One test's use of the crash harness; its folders go when the test ends."""

    learner: Learner
    crashes: Crashes
    _roots: list[Path] = field(default_factory=list)

    def sweep(
        self,
        name: str,
        make_args: MakeArgs,
        *,
        resume: bool = True,
        then: str | None = None,
        inside: Sequence[str] = (),
        files: Mapping[str, str] = crash.NO_FILES,
        twice: bool = False,
        most: int = crash.MOST_POINTS,
    ) -> Sweep:
        """Kill `name(*make_args())` at each instruction, then call it (or `then`) again; `case.answer` is its Outcome.

        Raises AnswerRaised when the undisturbed run raises, Trouble when there is nothing to judge by.
        """
        with self._bench(name, then) as bench:
            bench.files = files
            again = self._again(name, resume, then)
            seconds = self.crashes.sweep_seconds
            made = crash.run_sweep(
                bench, name, make_args, again=again, inside=inside, twice=twice, most=most, seconds=seconds
            )
            return self._collected(made)

    def calls(self, name: str, make_args: MakeArgs, *, resume: bool = True, then: str | None = None) -> Sweep:
        """Kill from here, at each call on a witness: before it happens, and after it, before its answer arrives."""
        with self._bench(name, then) as bench:
            return self._collected(crash.run_calls(bench, name, make_args, again=self._again(name, resume, then)))

    def strike(
        self,
        name: str,
        make_args: MakeArgs,
        rng: random.Random,
        *,
        rounds: int = 30,
        resume: bool = True,
        then: str | None = None,
    ) -> Sweep:
        """Kill at random times; a run that was through first is a case with `ending.signal` None."""
        with self._bench(name, then) as bench:
            again = self._again(name, resume, then)
            return self._collected(crash.run_strikes(bench, name, make_args, again=again, rounds=rounds, rng=rng))

    def case(self, name: str, args: Args, **how: Any) -> Case:
        """One run in a new folder: left alone, or killed as `course_lib.crash.Bench.runs` says."""
        with self._bench(name, None) as bench:
            folder = bench.folder()
            return Case(0, 0, "answer", folder, args, self._ending(name, bench.run(folder, name, args, **how)), kills=0)

    def again(self, case: Case, name: str, args: Args | None = None, *, program: str = "", **how: Any) -> Ending:
        """A further run in the folder of `case`, with its arguments unless others are given."""
        with self._bench(name, program=program) as bench:
            return self._ending(name, bench.run(case.folder, name, case.args if args is None else args, **how))

    def race(
        self,
        calls: Sequence[tuple[str, Args]],
        *,
        hold: str | None = "record.db",
        seconds: float = 0.1,
        record: bytes | None = None,
        program: str = "",
        kill_call: tuple[int, str] | None = None,
    ) -> Case:
        """All calls at once, each in a process of its own, in one folder; their endings are `resumed`.

        The write lock of the record `hold` is kept from them for so long that all of them stand before it. `record` is
        the file that it is at the start, `program` as in `orders`, `kill_call` as in `course_lib.crash.Bench.runs`.
        """
        with self._bench(*(name for name, _ in calls), program=program) as bench:
            folder = bench.folder()
            if record is not None:
                (folder / (hold or "record.db")).write_bytes(record)
            endings = bench.runs(folder, calls, hold=hold, hold_seconds=seconds if hold else 0.0, kill_call=kill_call)
            for (name, _), ending in zip(calls, endings, strict=True):
                self._ending(name, ending)
            return Case(0, 0, "answer", folder, calls[0][1], endings[0], list(endings), kills=0)

    def orders(
        self,
        name: str,
        program: str,
        make_args: Callable[[], Mapping[str, Args]],
        record: bytes,
        *,
        most: int = 40,
        seed: int = 0,
    ) -> list[Run]:
        """Every order of the SQL statements of two workers, or an even sample of `most` of them: see `course_lib.race`.

        `program` is the text of a function `name` that uses the answers; each worker calls it with its own arguments.
        Raises AnswerRaised when an answer is still to be written, Trouble when a worker does not come to an end.
        """
        from grader.judge.learner import Seen

        runs: list[Run] = []
        with self._bench(name, program=program) as bench:
            for run in run_race(bench, name, make_args, record, most=most, seed=seed):
                if isinstance(run, str):
                    continue
                runs.append(run)
                for worker, ending in run.endings.items():
                    self.learner.last = Seen(name, run.args[worker], {}, ending.outcome)
                    if ending.outcome.raised("NotImplementedError"):
                        raise AnswerRaised(ending.outcome.error)
        return runs

    # Looking at what is left.

    def rows(self, cases: Sweep | Sequence[Case | Run], query: str, *values: Any, db: str = "record.db") -> list[Any]:
        """For each case the rows (tuples, at most 200) of a query; None where that record is not there."""
        return self._look(cases, {"look": "rows", "query": query, "values": list(values), "db": db})

    def own_rows(self, query: str, *values: Any, db: str = "record.db") -> list[tuple[Any, ...]] | None:
        """Rows of a record in the test's own folder, where the kernel's calls work: what has been committed there.

        None where there is no such record, or it cannot answer.
        """
        room = self.crashes.room()
        for ending in ("", "-wal"):
            data = self.learner.read(db + ending)
            if data is not None:
                (room / (db + ending)).write_bytes(data)
        request = {"look": "rows", "query": query, "values": list(values), "db": db}
        found: list[tuple[Any, ...]] | None = self.crashes.inspect([room], request)[0]
        shutil.rmtree(room, ignore_errors=True)
        return found

    def files(self, cases: Sweep | Sequence[Case], name: str) -> list[bytes | None]:
        """For each case the content (at most 1 MB) of a file, None where there is no plain file of that name."""
        return self._look(cases, {"look": "file", "name": name})

    def names(self, cases: Sweep | Sequence[Case]) -> list[list[str]]:
        """For each case the names in its folder, sorted."""
        return self._look(cases, {"look": "names"})

    def close(self) -> None:
        """Remove the folders."""
        for root in self._roots:
            shutil.rmtree(root, ignore_errors=True)

    def _look(self, cases: Sweep | Sequence[Case | Run], request: dict[str, Any]) -> list[Any]:
        each = cases.cases if isinstance(cases, Sweep) else cases
        return self.crashes.inspect([case.folder for case in each], request)

    def _collected(self, cases: Iterator[Case | Sweep]) -> Sweep:
        from grader.judge.learner import Seen

        found: list[Case] = []
        for case in cases:
            if isinstance(case, Sweep):
                case.cases = found
                self.learner.last = Seen(case.name, case.whole.args, {}, case.whole.ending.outcome)
                return case
            found.append(case)
        raise AssertionError("the sweep itself comes last")

    def _ending(self, name: str, ending: Ending) -> Ending:
        crash.checked(name, ending)
        return ending

    @staticmethod
    def _again(name: str, resume: bool, then: str | None) -> str | None:
        return then or (name if resume else None)

    @contextmanager
    def _bench(self, *names: str | None, program: str = "") -> Iterator[Bench]:
        """A bench; what keeps it from showing anything becomes a verdict."""
        try:
            programs = [program] if program else []
            bench = self.crashes.bench([name for name in names if name], lambda: Desk(self.learner), programs)
            self._roots.append(bench.root)
            yield bench
        except SweepError as error:
            if error.reason in ("time", "killed", "output"):
                self.crashes.lost()
            raise Trouble(error.reason, f"{str(error)[:1].upper()}{str(error)[1:]}.") from None
        except NotWrittenError as error:
            raise AnswerRaised(_not_written(str(error))) from None


def _not_written(message: str) -> Any:
    from grader.judge.learner import Fault

    return Fault("NotImplementedError", ("NotImplementedError",), message, None)
