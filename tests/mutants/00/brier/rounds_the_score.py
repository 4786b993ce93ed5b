"""Nobody reads more than two decimals."""


def brier(predictions: list[tuple[float, bool]]) -> float:
    if not predictions:
        raise ValueError("no predictions")
    if any(p < 0 or p > 1 for p, _ in predictions):
        raise ValueError("a confidence lies between 0 and 1")
    return round(sum((p - right) ** 2 for p, right in predictions) / len(predictions), 2)


CATCHES = "It looks as if the score is rounded before it is returned"
TEST = "test_one_right_prediction"


def witness(mutant, reference):
    predictions = [(0.75, True)]
    return abs(mutant(predictions) - reference(predictions)) > 1e-6
