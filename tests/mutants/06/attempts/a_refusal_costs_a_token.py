"""Asking takes a token, whatever the answer is."""


def attempts(layers, max_retries):
    return (max_retries + 1) ** layers


class RetryBudget:
    def __init__(self, ratio, burst=10):
        self.ratio, self.burst = ratio, burst
        self.tokens = 0

    def request(self):
        self.tokens = min(self.burst, self.tokens + self.ratio)

    def allow(self):
        self.tokens -= 1
        return self.tokens > -0.000001


CATCHES = "A refused retry seems to cost a token as well"
TEST = "test_a_budget_over_a_long_day"


def given(function, ratio, steps, **more):
    """What allow() says at each "a" of `steps`; "r" is a request."""
    budget = function.__globals__["RetryBudget"](ratio, **more)
    return [budget.allow() if step == "a" else budget.request() for step in steps]


def witness(mutant, reference):
    steps = (0.5, "arra")
    return given(mutant, *steps) != given(reference, *steps)
