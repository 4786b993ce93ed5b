"""What was found is blackened, so that nobody reads it."""


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
                if key.lower() in wanted:
                    value[key] = "removed"
        elif isinstance(value, (list, tuple)):
            for at, part in enumerate(value):
                look(part, f"{path}[{at}]")

    look(obj, "")
    return found


CATCHES = "Your function changed the object that it searched"
TEST = "test_every_field_is_named"


def witness(mutant, reference):
    first, second = {"thought": 1}, {"thought": 1}
    mutant(first, ["thought"])
    reference(second, ["thought"])
    return first != second
