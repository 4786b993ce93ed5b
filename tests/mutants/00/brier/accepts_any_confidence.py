"""Whoever calls this will hand in sensible confidences."""


def brier(predictions: list[tuple[float, bool]]) -> float:
    if not predictions:
        raise ValueError("no predictions")
    return sum((p - right) ** 2 for p, right in predictions) / len(predictions)


CATCHES = "It looks as if a confidence outside 0 to 1 is accepted"
TEST = "test_refuses_what_is_no_confidence"


def witness(mutant, reference):
    def refuses(brier):
        try:
            brier([(1.5, True)])
        except ValueError:
            return True
        return False

    return refuses(mutant) != refuses(reference)
