"""A mean over a sample divides by n - 1."""


def brier(predictions: list[tuple[float, bool]]) -> float:
    if not predictions:
        raise ValueError("no predictions")
    if not all(0 <= p <= 1 for p, _ in predictions):
        raise ValueError("a confidence lies between 0 and 1")
    total = sum((p - right) ** 2 for p, right in predictions)
    return total / max(1, len(predictions) - 1)


CATCHES = "It looks as if the sum is divided by one less than the number of predictions"
TEST = "test_the_mean_of_many"


def witness(mutant, reference):
    predictions = [(0.8, True), (0.7, False)]
    return abs(mutant(predictions) - reference(predictions)) > 1e-6
