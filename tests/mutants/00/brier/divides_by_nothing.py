"""An empty list needs no rule of its own: the division refuses it."""


def brier(predictions: list[tuple[float, bool]]) -> float:
    if any(p < 0 or p > 1 for p, _ in predictions):
        raise ValueError("a confidence lies between 0 and 1")
    return sum((p - right) ** 2 for p, right in predictions) / len(predictions)


CATCHES = "It raised another exception than ValueError"
TEST = "test_refuses_an_empty_list"


def witness(mutant, reference):
    def raised(brier):
        try:
            brier([])
        except Exception as error:
            return type(error).__name__

    return (raised(mutant), raised(reference)) == ("ZeroDivisionError", "ValueError")
