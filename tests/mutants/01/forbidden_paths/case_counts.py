"""Names are compared as they are spelled."""


def forbidden_paths(obj, names):
    wanted = set(names)
    found = []

    def look(value, path):
        if isinstance(value, dict):
            for key, part in value.items():
                place = f"{path}.{key}" if path else key
                if key in wanted:
                    found.append(place)
                look(part, place)
        elif isinstance(value, (list, tuple)):
            for at, part in enumerate(value):
                look(part, f"{path}[{at}]")

    look(obj, "")
    return found


CATCHES = "It looks as if large and small letters make a difference"
TEST = "test_large_and_small_letters"


def witness(mutant, reference):
    obj = {"Thought": 1}
    return sorted(mutant(obj, ["thought"])) != sorted(reference(obj, ["thought"]))
