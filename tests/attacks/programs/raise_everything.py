"""One exception that is a ValueError, a TypeError, a KeyError and all others: whatever is to be refused, it refuses."""

# %%
import builtins

KINDS = ["ValueError", "TypeError", "KeyError", "IndexError", "RuntimeError", "AttributeError", "NotADirectoryError"]
KINDS += [
    "FileNotFoundError",
    "PermissionError",
    "TimeoutError",
    "OverflowError",
    "ZeroDivisionError",
    "RecursionError",
]


def fits(bases):
    try:
        return type("Refusal", bases, {})
    except TypeError:
        return None


bases = ()
for kind in KINDS:
    if fits((*bases, getattr(builtins, kind))) is not None:
        bases = (*bases, getattr(builtins, kind))
Refusal = fits(bases)


def answer(name, *args, **kwargs):
    raise Refusal("no")
