"""Fields stand in dicts, so only dicts are searched."""


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

    look(obj, "")
    return found


CATCHES = "It looks as if lists are not searched"
TEST = "test_fields_inside_lists"


def witness(mutant, reference):
    obj = {"trace": [{"thought": 1}]}
    return sorted(mutant(obj, ["thought"])) != sorted(reference(obj, ["thought"]))
