"""Decides call by call and stops as soon as it is sure."""


def measure_idempotency(effect, fresh_state, observe, n=3):
    state = fresh_state()
    before = observe(state)
    effect(state)
    first = observe(state)
    for _ in range(n - 1):
        effect(state)
        if observe(state) != first:
            return "non_idempotent"
    return "idempotent" if first != before else "read_only"
