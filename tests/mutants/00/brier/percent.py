"""A confidence is given in percent."""


def brier(predictions: list[tuple[float, bool]]) -> float:
    if not predictions:
        raise ValueError("no predictions")
    if not all(0 <= p <= 100 for p, _ in predictions):
        raise ValueError("a confidence lies between 0 and 100")
    return sum((p / 100 - right) ** 2 for p, right in predictions) / len(predictions)


CATCHES = "It looks as if confidences are read as percent; they go from 0 to 1"
TEST = "test_one_right_prediction"


def witness(mutant, reference):
    predictions = [(0.8, True)]
    return abs(mutant(predictions) - reference(predictions)) > 1e-6
