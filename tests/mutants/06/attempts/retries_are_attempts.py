"""Three retries are three attempts."""


def attempts(layers, max_retries):
    return max_retries**layers if max_retries else 1


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


CATCHES = "Retries are counted where attempts are meant"
TEST = "test_any_number_of_layers"


def witness(mutant, reference):
    return mutant(3, 3) != reference(3, 3)
