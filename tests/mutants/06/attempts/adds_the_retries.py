"""One call, and the retries of every layer on top of it."""


def attempts(layers, max_retries):
    return 1 + layers * max_retries


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


CATCHES = "Layers seem to be added, not multiplied"
TEST = "test_any_number_of_layers"


def witness(mutant, reference):
    return mutant(3, 3) != reference(3, 3)
