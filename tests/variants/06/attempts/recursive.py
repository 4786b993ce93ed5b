"""Goes down layer by layer; the budget keeps a balance that is rounded against float noise."""


def attempts(layers, max_retries):
    if layers == 0:
        return 1
    below = attempts(layers - 1, max_retries)
    return below + max_retries * below


class RetryBudget:
    balance = 0.0

    def __init__(self, ratio, burst=10):
        self.ratio = ratio
        self.burst = float(burst)

    def request(self):
        full = self.balance + self.ratio >= self.burst
        self.balance = self.burst if full else round(self.balance + self.ratio, 9)

    def allow(self):
        whole = self.balance >= 1
        self.balance -= int(whole)
        return whole
