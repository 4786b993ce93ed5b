"""Recursive from the inside out: a value reports the tails below it, and whoever holds it puts its own part before."""

import re


def forbidden_paths(obj, names):
    banned = {name.lower() for name in names}

    def tails(value):
        if isinstance(value, dict):
            for key in value:
                if key.lower() in banned:
                    yield "." + key
                for tail in tails(value[key]):
                    yield "." + key + tail
        elif isinstance(value, (list, tuple)):
            for place in range(len(value)):
                yield from (f"[{place}]" + tail for tail in tails(value[place]))

    return sorted(re.sub(r"\A\.", "", tail) for tail in tails(obj))
