"""A new budget begins with all its tokens, so that the first retries can go out."""


def attempts(layers, max_retries):
    return (max_retries + 1) ** layers


class RetryBudget:
    def __init__(self, ratio, burst=10):
        self.ratio, self.burst = ratio, burst
        self.tokens = burst

    def request(self):
        self.tokens = min(self.burst, self.tokens + self.ratio)

    def allow(self):
        if self.tokens < 0.999999:
            return False
        self.tokens -= 1
        return True


CATCHES = "A new budget gives out a retry"
TEST = "test_four_requests_for_one_retry"


def given(function, ratio, steps, **more):
    """What allow() says at each "a" of `steps`; "r" is a request."""
    budget = function.__globals__["RetryBudget"](ratio, **more)
    return [budget.allow() if step == "a" else budget.request() for step in steps]


def witness(mutant, reference):
    steps = (0.5, "a")
    return given(mutant, *steps) != given(reference, *steps)
