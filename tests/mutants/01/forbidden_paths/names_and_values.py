"""A forbidden word is forbidden wherever it stands, as a name or as a value."""


def forbidden_paths(obj, names):
    wanted = {name.lower() for name in names}
    found = []

    def look(value, path):
        if isinstance(value, dict):
            for key, part in value.items():
                place = f"{path}.{key}" if path else key
                if key.lower() in wanted:
                    found.append(place)
                look(part, place)
        elif isinstance(value, (list, tuple)):
            for at, part in enumerate(value):
                look(part, f"{path}[{at}]")
        elif isinstance(value, str) and value.lower() in wanted:
            found.append(path)

    look(obj, "")
    return found


CATCHES = "Something is reported that is no forbidden field"
TEST = "test_recorded_runs_are_clean"


def witness(mutant, reference):
    obj = {"thought": 1, "note": "thought"}
    return sorted(mutant(obj, ["thought"])) != sorted(reference(obj, ["thought"]))
