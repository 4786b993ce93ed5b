"""Notes at which calls the state changed, and looks at that list only."""


def measure_idempotency(effect, fresh_state, observe, n=3):
    state, changes = fresh_state(), []
    now = observe(state)
    for call in range(1, n + 1):
        effect(state)
        then, now = now, observe(state)
        if not then == now:
            changes.append(call)
    kinds = {(): "read_only", (1,): "idempotent"}
    return kinds.get(tuple(changes), "non_idempotent")
