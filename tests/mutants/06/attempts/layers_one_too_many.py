"""The request itself counts as a layer."""


def attempts(layers, max_retries):
    return (max_retries + 1) ** (layers + 1)


class RetryBudget:
    def __init__(self, ratio, burst=10):
        self.ratio, self.burst = ratio, burst
        self.tokens = 0

    def request(self):
        self.tokens = min(self.burst, self.tokens + self.ratio)

    def allow(self):
        if self.tokens < 0.999999:
            return False
        self.tokens -= 1
        return True


CATCHES = "This is not the number of calls that reach the bottom"
TEST = "test_any_number_of_layers"


def witness(mutant, reference):
    return mutant(1, 1) != reference(1, 1)
