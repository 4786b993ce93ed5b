"""The tokens are there from the beginning; requests are only counted."""


def attempts(layers, max_retries):
    return (max_retries + 1) ** layers


class RetryBudget:
    def __init__(self, ratio, burst=10):
        self.ratio, self.burst = ratio, burst
        self.tokens = 0
        self.requests = 0

    def request(self):
        self.requests += 1

    def allow(self):
        if self.tokens < 0.999999:
            return False
        self.tokens -= 1
        return True


CATCHES = "With a ratio of 1, many requests do not pay for one retry"
TEST = "test_no_budget_is_none"


def given(function, ratio, steps, **more):
    """What allow() says at each "a" of `steps`; "r" is a request."""
    budget = function.__globals__["RetryBudget"](ratio, **more)
    return [budget.allow() if step == "a" else budget.request() for step in steps]


def witness(mutant, reference):
    steps = (1.0, "ra")
    return given(mutant, *steps) != given(reference, *steps)
