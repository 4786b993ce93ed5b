"""A budget of 0 is a budget that was not set, so nothing is limited."""


def attempts(layers, max_retries):
    return (max_retries + 1) ** layers


class RetryBudget:
    def __init__(self, ratio, burst=10):
        self.ratio, self.burst = ratio, burst
        self.tokens = 0

    def request(self):
        self.tokens = min(self.burst, self.tokens + self.ratio)

    def allow(self):
        if not self.ratio:
            return True
        if self.tokens < 0.999999:
            return False
        self.tokens -= 1
        return True


CATCHES = "With a ratio of 0 a retry is given out"
TEST = "test_no_budget_is_none"


def given(function, ratio, steps, **more):
    """What allow() says at each "a" of `steps`; "r" is a request."""
    budget = function.__globals__["RetryBudget"](ratio, **more)
    return [budget.allow() if step == "a" else budget.request() for step in steps]


def witness(mutant, reference):
    steps = (0, "ra")
    return given(mutant, *steps) != given(reference, *steps)
