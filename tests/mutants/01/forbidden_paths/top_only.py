"""A forbidden field would stand at the top, where fields are."""


def forbidden_paths(obj, names):
    wanted = {name.lower() for name in names}
    return [key for key in obj if key.lower() in wanted] if isinstance(obj, dict) else []


CATCHES = "It looks as if fields are looked for at the top only"
TEST = "test_fields_at_every_depth"


def witness(mutant, reference):
    obj = {"args": {"thought": 1}}
    return sorted(mutant(obj, ["thought"])) != sorted(reference(obj, ["thought"]))
