"""Every call that is made anywhere belongs to the sum."""


def attempts(layers, max_retries):
    return sum((max_retries + 1) ** n for n in range(1, layers + 1)) or 1


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


CATCHES = "The calls at every layer are counted, not those at the bottom"
TEST = "test_any_number_of_layers"


def witness(mutant, reference):
    return mutant(3, 3) != reference(3, 3)
