"""JSON has dicts and lists, so nothing else has to be searched."""


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
        elif isinstance(value, list):
            for at, part in enumerate(value):
                look(part, f"{path}[{at}]")

    look(obj, "")
    return found


CATCHES = "It looks as if tuples are not searched"
TEST = "test_fields_inside_tuples"


def witness(mutant, reference):
    obj = {"pair": (1, {"thought": 1})}
    return sorted(mutant(obj, ["thought"])) != sorted(reference(obj, ["thought"]))
