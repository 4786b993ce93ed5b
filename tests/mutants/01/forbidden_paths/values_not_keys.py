"""What is forbidden is that the word occurs."""


def forbidden_paths(obj, names):
    wanted = {name.lower() for name in names}
    found = []

    def look(value, path):
        if isinstance(value, dict):
            for key, part in value.items():
                place = f"{path}.{key}" if path else key
                look(part, place)
        elif isinstance(value, (list, tuple)):
            for at, part in enumerate(value):
                look(part, f"{path}[{at}]")
        elif isinstance(value, str) and value.lower() in wanted:
            found.append(path)

    look(obj, "")
    return found


CATCHES = "It looks as if values are compared, not the names of fields"
TEST = "test_text_is_no_field"


def witness(mutant, reference):
    obj = {"note": "thought"}
    return sorted(mutant(obj, ["thought"])) != sorted(reference(obj, ["thought"]))
