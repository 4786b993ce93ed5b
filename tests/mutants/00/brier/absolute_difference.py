"""The price is how far off the confidence was."""


def brier(predictions: list[tuple[float, bool]]) -> float:
    if not predictions:
        raise ValueError("no predictions")
    if not all(0 <= p <= 1 for p, _ in predictions):
        raise ValueError("a confidence lies between 0 and 1")
    return sum(abs(p - right) for p, right in predictions) / len(predictions)


CATCHES = "It looks as if the differences are not squared"
TEST = "test_one_right_prediction"


def witness(mutant, reference):
    predictions = [(0.8, True)]
    return abs(mutant(predictions) - reference(predictions)) > 1e-6
