"""The command that a grading kernel is started with: confine this process, then become an ordinary ipykernel.

``python -m grader.kernel.launch SCRATCH CONNECTION_FILE LINE``, where LINE is the number of an inherited socket. What
was applied is written to ``SCRATCH/sockets/layers`` before any learner code runs: the grader need not ask the kernel.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path

from grader.kernel import confine, inside
from grader.kernel.line import Line

SETTINGS = {"IPKernelApp": {"ignore_cwd": True}, "HistoryManager": {"enabled": False}}


def main(scratch: Path, connection_file: str, end: socket.socket) -> None:
    """Confine, start ipykernel, and stay until the grader ends this process."""
    # ipykernel takes this to say that there is no debugger, which is a third of what a kernel loads.
    sys.modules["debugpy"] = None  # type: ignore[assignment]
    from ipykernel.kernelapp import IPKernelApp
    from traitlets.config import Config

    import course_lib  # a package found now is found later, when its parent folder can no longer be listed
    import course_lib.definitions

    fonts = Path(os.environ["MPLCONFIGDIR"])
    if not any(fonts.glob("fontlist-*.json")):
        import matplotlib.font_manager  # noqa: F401 - writes the cache once, while the folder can be written

    library = Path(course_lib.__file__).resolve().parent
    writable = [scratch / "work", scratch / "sockets"]
    layers = confine.confine(writable=writable, readable=[fonts, scratch], library=library)
    (scratch / "sockets" / "layers").write_text(json.dumps(layers))
    app = IPKernelApp.instance(config=Config(SETTINGS))
    app.initialize(["-f", connection_file])  # type: ignore[no-untyped-call]
    # Files beside the notebook come after the standard library: a learner's random.py must not stop the kernel.
    sys.path.append("")
    inside.attach(app.shell, Line(end))
    app.start()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    line = socket.socket(fileno=int(sys.argv[3]))
    line.set_inheritable(False)  # programs that the notebook starts have no part in it
    main(Path(sys.argv[1]), sys.argv[2], line)
