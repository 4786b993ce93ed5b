"""One forbidden field is enough to reject a run, so the search can stop."""


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

    look(obj, "")
    return found[:1]


CATCHES = "It looks as if the search stops at the first forbidden field"
TEST = "test_every_field_is_named"


def witness(mutant, reference):
    obj = [{"thought": 1}, {"thought": 2}]
    return sorted(mutant(obj, ["thought"])) != sorted(reference(obj, ["thought"]))
