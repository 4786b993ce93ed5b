"""No recursion: a list of work still to do, with paths as tuples of parts that are written out at the end."""


def forbidden_paths(obj, names):
    forbidden = [name.lower() for name in names]
    todo, hits = [((), obj)], []
    while todo:
        parts, value = todo.pop()
        if isinstance(value, dict):
            inner = list(value.items())
            hits += [(*parts, key) for key, _ in inner if key.lower() in forbidden]
        elif isinstance(value, list | tuple):
            inner = list(enumerate(value))
        else:
            continue
        todo += [((*parts, part), each) for part, each in inner]
    return [_written(parts) for parts in hits]


def _written(parts):
    text = ""
    for place, part in enumerate(parts):
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += part if place == 0 else "." + part
    return text
