"""All budgets draw on the same tokens."""


def attempts(layers, max_retries):
    return (max_retries + 1) ** layers


class RetryBudget:
    tokens = 0

    def __init__(self, ratio, burst=10):
        self.ratio, self.burst = ratio, burst

    def request(self):
        RetryBudget.tokens = min(self.burst, RetryBudget.tokens + self.ratio)

    def allow(self):
        if self.tokens < 0.999999:
            return False
        RetryBudget.tokens -= 1
        return True


CATCHES = "With a ratio of 0 a retry is given out"
TEST = "test_no_budget_is_none"


def witness(mutant, reference):
    def second(function):
        budget = function.__globals__["RetryBudget"]
        one, other = budget(1.0), budget(1.0)
        one.request()
        return other.allow()

    return second(mutant) != second(reference)
