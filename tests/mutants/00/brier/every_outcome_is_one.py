"""A prediction has an outcome, so y is 1 whether it was right or not."""


def brier(predictions: list[tuple[float, bool]]) -> float:
    if not predictions:
        raise ValueError("no predictions")
    if not all(0 <= p <= 1 for p, _ in predictions):
        raise ValueError("a confidence lies between 0 and 1")
    return sum((p - 1) ** 2 for p, _ in predictions) / len(predictions)


CATCHES = "It looks as if the outcome of a wrong prediction is taken for 1"
TEST = "test_one_wrong_prediction"


def witness(mutant, reference):
    predictions = [(0.8, False)]
    return abs(mutant(predictions) - reference(predictions)) > 1e-6
