"""What is below a forbidden field goes away with it."""


def forbidden_paths(obj, names):
    wanted = {name.lower() for name in names}
    found = []

    def look(value, path):
        if isinstance(value, dict):
            for key, part in value.items():
                place = f"{path}.{key}" if path else key
                if key.lower() in wanted:
                    found.append(place)
                else:
                    look(part, place)
        elif isinstance(value, (list, tuple)):
            for at, part in enumerate(value):
                look(part, f"{path}[{at}]")

    look(obj, "")
    return found


CATCHES = "It looks as if nothing is looked for below a forbidden field"
TEST = "test_every_field_is_named"


def witness(mutant, reference):
    obj = {"thought": {"thought": 1}}
    return sorted(mutant(obj, ["thought"])) != sorted(reference(obj, ["thought"]))
