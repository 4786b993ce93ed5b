"""What a learner's kernel may touch: its scratch folder, Python, the system's programs, course_lib; no network.

Landlock (Linux 5.13 and later) holds the process and everything it starts to this list, as root too. It is applied
before ipykernel starts a thread, and cannot be taken off again. Elsewhere nothing is applied and the record says so.
"""

from __future__ import annotations

import site
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

# The parts of the system that Python, matplotlib and a shell command need to run; not /etc, /home, /proc as a whole.
SYSTEM = ("/usr", "/lib", "/lib64", "/lib32", "/bin", "/sbin", "/nix/store")
SYSTEM_FILES = (
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/fonts",
    "/etc/alternatives",
    "/dev/null",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
)


def confine(*, writable: list[Path], readable: list[Path]) -> list[str]:
    """Hold this process to `writable`, `readable`, Python and the system's programs; names of the layers applied.

    Must be called while the process has one thread. Empty when the machine offers no Landlock.
    """
    if sys.platform != "linux":
        return []
    import landlockpy as landlock

    abi = landlock.abi_version()
    if abi < 1:
        return []
    layers = ["landlock-files"]
    everything, tcp, scope = landlock.fs_for_abi(abi), landlock.net_for_abi(abi), landlock.scope_for_abi(abi)
    if tcp:
        layers.append("landlock-tcp")
    if scope:
        layers.append("landlock-signals")
    fs = landlock.AccessFS
    on_files = fs.EXECUTE | fs.READ_FILE | fs.WRITE_FILE | fs.TRUNCATE | fs.IOCTL_DEV
    with landlock.Ruleset(handled_fs=everything, handled_net=tcp, scoped=scope) as ruleset:

        def allow(path: Path | str, access: landlock.AccessFS) -> None:
            path = Path(path)
            if path.exists():
                ruleset.allow_path(path, access if path.is_dir() else access & on_files)

        for path in writable:
            allow(path, everything & ~fs.EXECUTE)
        for path in readable:
            allow(path, fs.READ_FILE | fs.READ_DIR)
        for name in SYSTEM_FILES:
            allow(name, fs.READ_FILE | fs.READ_DIR | (fs.WRITE_FILE if name.startswith("/dev/") else fs.NONE))
        for subtree in (*map(Path, SYSTEM), *_python()):
            allow(subtree, fs.EXECUTE | fs.READ_FILE | fs.READ_DIR)
        for folder in _package_folders():
            allow(folder, fs.READ_DIR)
        ruleset.restrict()
    return layers


def _package_folders() -> set[Path]:
    return {Path(p).resolve() for p in (*site.getsitepackages(), sysconfig.get_path("purelib")) if Path(p).is_dir()}


def _python() -> Iterator[Path]:
    """Python itself and each installed package but the grader's: where it is installed, hidden tests lie in it."""
    packages = _package_folders()
    for prefix in {Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable).resolve().parent.parent}:
        yield from _without(prefix.resolve(), packages)


def _without(folder: Path, packages: set[Path]) -> Iterator[Path]:
    """`folder` as a few subtrees that leave out every ``grader`` inside one of `packages`."""
    if not any(package == folder or folder in package.parents for package in packages):
        yield folder
        return
    for entry in sorted(folder.iterdir()):
        if folder in packages and entry.name.startswith(("grader", "accountable_agents")):
            continue
        if entry.is_dir() and not entry.is_symlink():
            yield from _without(entry, packages)
        elif entry.exists():
            yield entry
