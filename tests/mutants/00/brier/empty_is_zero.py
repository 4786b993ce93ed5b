"""No predictions, no price."""


def brier(predictions: list[tuple[float, bool]]) -> float:
    if not all(0 <= p <= 1 for p, _ in predictions):
        raise ValueError("a confidence lies between 0 and 1")
    total = sum((p - right) ** 2 for p, right in predictions)
    return total / len(predictions) if predictions else 0.0


CATCHES = "There is no mean of nothing, so no score can be returned for it"
TEST = "test_refuses_an_empty_list"


def witness(mutant, reference):
    def refuses(brier):
        try:
            brier([])
        except ValueError:
            return True
        return False

    return refuses(mutant) != refuses(reference)
