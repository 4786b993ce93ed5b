"""Each layer adds its attempts to the sum."""


def attempts(layers, max_retries):
    return max(1, (max_retries + 1) * layers)


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
