"""The command that the grader starts its crash harness with: confine this process, then fork cases.

``python -m grader.kernel.harness SCRATCH CASES yes|no``. It is `course_lib.crash_worker` behind the same walls as a
kernel, with values in the grader's own encoding. It runs no learner code itself; each case's child is walled in once
more, with its own folder as all that it can write to, and cannot signal the process that forked it.
"""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path
from typing import Any

from course_lib import crash_worker
from grader.kernel import confine, inside, wire

MAX_MEMORY = 1_000_000_000
MAX_FILE = 30_000_000
MAX_OPEN = 256


class WireCodec:
    """Values as on the way to a kernel; `inside.Remote` for what stays with the grader."""

    def encode(self, value: Any) -> Any:
        """What of `value` fits into JSON."""
        return wire.encode(value, inside.remote_ref)

    def decode(self, value: Any, ask: crash_worker.Ask) -> Any:
        """The value, with stand-ins."""

        def resolve(ref: wire.Ref) -> inside.Remote:
            return inside.Remote(ref, ask, resolve)

        return wire.decode(value, resolve, rebuild=True)


def main(scratch: Path, cases: Path, walls: bool) -> None:
    """Serve the grader at descriptor 0 until it hangs up."""
    import course_lib

    crash_worker.warm()
    layers: list[str] = []
    with (scratch / "layers").open("w") as attested:  # opened now: later it is out of reach, for the cases as well
        if walls:
            library = Path(course_lib.__file__).resolve().parent
            layers = confine.confine(writable=[scratch / "tmp", cases], readable=[scratch], library=library)
        json.dump(layers, attested)
    temporary = scratch / "tmp"

    def wall_in() -> None:
        _limit()
        if layers:
            confine.confine_writes([Path.cwd(), temporary])

    crash_worker.Worker(socket.socket(fileno=0), WireCodec(), wall_in).serve()


def _limit() -> None:
    """Keep one case from filling the memory or the disk of the machine."""
    import resource

    for kind, most in (("DATA", MAX_MEMORY), ("FSIZE", MAX_FILE), ("NOFILE", MAX_OPEN), ("CORE", 0)):
        number = getattr(resource, f"RLIMIT_{kind}")
        hard = resource.getrlimit(number)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(number, (most, most))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] == "yes")
