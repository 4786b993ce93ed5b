"""The small library that the notebooks import: an agent, its tools, its faults, and predictions.

Names are loaded on first use, so that `import course_lib` costs next to nothing.
"""

from importlib import import_module

TYPE_CHECKING = False  # typing's own flag, without loading typing
if TYPE_CHECKING:
    from . import mine
    from .attempt import attempt
    from .checking import check
    from .predictions import predict, reveal

__all__ = ["attempt", "check", "mine", "predict", "reveal"]

_HOME = {"attempt": "attempt", "check": "checking", "predict": "predictions", "reveal": "predictions"}


def __getattr__(name: str) -> object:
    if name == "mine":
        return import_module(".mine", __name__)
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value  # for `attempt` also: loading the module of that name put the module here
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
