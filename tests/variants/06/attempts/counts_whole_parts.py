"""Adds up layer by layer; the budget is counted in exact fractions."""

from fractions import Fraction


def attempts(layers, max_retries):
    calls = 1
    for _ in range(layers):
        calls = sum(calls for _ in range(max_retries + 1))
    return calls


class RetryBudget:
    def __init__(self, ratio, burst=10):
        self.step = Fraction(ratio).limit_denominator(10**6)
        self.most = burst
        self.held = Fraction(0)

    def request(self):
        self.held += self.step
        if self.held > self.most:
            self.held = Fraction(self.most)

    def allow(self):
        if self.held >= 1:
            self.held -= 1
            return True
        return False
