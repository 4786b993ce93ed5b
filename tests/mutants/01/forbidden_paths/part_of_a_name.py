"""A name that contains a forbidden one is forbidden too."""


def forbidden_paths(obj, names):
    wanted = {name.lower() for name in names}
    found = []

    def look(value, path):
        if isinstance(value, dict):
            for key, part in value.items():
                place = f"{path}.{key}" if path else key
                if any(name in key.lower() for name in wanted):
                    found.append(place)
                look(part, place)
        elif isinstance(value, (list, tuple)):
            for at, part in enumerate(value):
                look(part, f"{path}[{at}]")

    look(obj, "")
    return found


CATCHES = "It looks as if a part of a name is enough; the whole name has to be forbidden"
TEST = "test_names_count_as_a_whole"


def witness(mutant, reference):
    obj = {"afterthought": 1}
    return sorted(mutant(obj, ["thought"])) != sorted(reference(obj, ["thought"]))
