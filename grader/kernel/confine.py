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


def missing_layers() -> list[str]:
    """What keeps strangers' code from being fully contained on this machine, in words; empty when nothing does."""
    if sys.platform != "linux":
        return ["this system has no Landlock"]
    import landlockpy as landlock

    abi = landlock.abi_version()
    if abi < 1:
        return ["this Linux has no Landlock (5.13 or later with Landlock switched on is needed)"]
    missing = ["this version of the grader does not hold back UDP, unix sockets and the number of processes yet"]
    if not landlock.net_for_abi(abi):
        missing.append("Landlock here does not hold back TCP (Linux 6.7)")
    if not landlock.scope_for_abi(abi):
        missing.append("Landlock here does not hold back signals (Linux 6.12)")
    return missing


def confine(*, writable: list[Path], readable: list[Path], library: Path) -> list[str]:
    """Hold this process to `writable`, `readable`, Python and the system's programs; names of the layers applied.

    `library` is the folder of course_lib: it can be read, nothing else of the course can. Must be called while the
    process has one thread. Empty when the machine offers no Landlock.
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
        for path in (*readable, library):
            allow(path, fs.READ_FILE | fs.READ_DIR)
        for name in SYSTEM_FILES:
            allow(name, fs.READ_FILE | fs.READ_DIR | (fs.WRITE_FILE if name.startswith("/dev/") else fs.NONE))
        secret = _secret(library.resolve())
        for folder in {*map(Path, SYSTEM), *_prefixes()}:
            for part, whole in _without(folder.resolve(), secret):
                allow(part, fs.READ_DIR | (fs.EXECUTE | fs.READ_FILE if whole else fs.NONE))
        ruleset.restrict()
    return layers


def confine_writes(writable: list[Path]) -> None:
    """Let this process, which is confined already, write to no more than `writable`, and signal only its own kind."""
    import landlockpy as landlock

    abi = landlock.abi_version()
    fs = landlock.AccessFS
    everything = landlock.fs_for_abi(abi)
    writes = everything & ~(fs.EXECUTE | fs.READ_FILE | fs.READ_DIR | fs.IOCTL_DEV)
    with landlock.Ruleset(handled_fs=writes, scoped=landlock.scope_for_abi(abi)) as ruleset:
        for path in writable:
            ruleset.allow_path(path, writes)
        ruleset.allow_path(Path("/dev/null"), fs.WRITE_FILE)
        ruleset.restrict()


def _prefixes() -> set[Path]:
    """Where Python is installed."""
    return {Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable).resolve().parent.parent}


def _package_folders() -> set[Path]:
    base = {"base": sys.base_prefix, "platbase": sys.base_prefix}
    paths = (*site.getsitepackages(), sysconfig.get_path("purelib"), sysconfig.get_path("purelib", vars=base))
    return {Path(path).resolve() for path in paths if Path(path).is_dir()}


def _secret(library: Path) -> set[Path]:
    """What lies among the folders of the system and of Python and may not be read: graders, and the course itself."""
    packages = _package_folders()
    graders = {path for folder in packages for name in ("grader*", "accountable_agents*") for path in folder.glob(name)}
    # Around a course_lib that is no installed package lies the course's own folder: hidden tests, solutions, history.
    course = {library.parent} - packages - {prefix.resolve() for prefix in _prefixes()}
    return graders | course | {Path(__file__).resolve().parents[1]}


def _without(folder: Path, secret: set[Path]) -> Iterator[tuple[Path, bool]]:
    """`folder` as a few parts that leave out what is secret; False for one of which only names may be read."""
    if folder in secret:
        return
    if not any(folder in path.parents for path in secret):
        yield folder, True
        return
    yield folder, False
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and not entry.is_symlink():
            yield from _without(entry, secret)
        elif entry.exists() and not entry.is_symlink():
            yield entry, True
