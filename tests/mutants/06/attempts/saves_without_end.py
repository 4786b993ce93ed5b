"""What is not used today can be used tomorrow."""


def attempts(layers, max_retries):
    return (max_retries + 1) ** layers


class RetryBudget:
    def __init__(self, ratio, burst=10):
        self.ratio, self.burst = ratio, burst
        self.tokens = 0

    def request(self):
        self.tokens = self.tokens + self.ratio

    def allow(self):
        if self.tokens < 0.999999:
            return False
        self.tokens -= 1
        return True


CATCHES = "What a good day has saved up is more than burst"
TEST = "test_a_good_day_is_not_saved_up"


def given(function, ratio, steps, **more):
    """What allow() says at each "a" of `steps`; "r" is a request."""
    budget = function.__globals__["RetryBudget"](ratio, **more)
    return [budget.allow() if step == "a" else budget.request() for step in steps]


def witness(mutant, reference):
    steps = (1.0, "r" * 20 + "a" * 20)
    return given(mutant, *steps) != given(reference, *steps)
