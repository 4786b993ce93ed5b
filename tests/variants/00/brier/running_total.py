"""One pass with a running total; each pair is refused or priced by a helper with an if for each outcome."""


def price(p, right):
    if p < 0 or p > 1:
        raise ValueError(f"{p} is not a confidence")
    if right:
        return (1 - p) ** 2
    return p**2


def brier(predictions):
    total = 0.0
    count = 0
    for p, right in predictions:
        total = total + price(p, right)
        count = count + 1
    if count == 0:
        raise ValueError("there is no mean of nothing")
    return total / count
