"""The outcome y marks what went wrong: 1 for a wrong prediction."""


def brier(predictions: list[tuple[float, bool]]) -> float:
    if not predictions:
        raise ValueError("no predictions")
    if not all(0 <= p <= 1 for p, _ in predictions):
        raise ValueError("a confidence lies between 0 and 1")
    return sum((p - (not right)) ** 2 for p, right in predictions) / len(predictions)


CATCHES = "It looks as if a wrong prediction counts as y = 1; y is 1 for a right one"
TEST = "test_one_right_prediction"


def witness(mutant, reference):
    predictions = [(0.8, True)]
    return abs(mutant(predictions) - reference(predictions)) > 1e-6
