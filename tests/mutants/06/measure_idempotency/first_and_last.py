"""The state before the first call and that after the last one tell the kind."""


def measure_idempotency(effect, fresh_state, observe, n=3):
    state = fresh_state()
    seen = [observe(state)]
    for _ in range(n):
        effect(state)
        seen.append(observe(state))
    if seen[0] == seen[-1]:
        return "read_only"
    if seen[1] == seen[-1]:
        return "idempotent"
    return "non_idempotent"


CATCHES = "An effect that goes back is not found out"
TEST = "test_every_call_is_looked_at"


def witness(mutant, reference):
    def kind(function):
        return function(lambda state: state.clear() if state else state.append(1), list, list, 4)

    return kind(mutant) != kind(reference)
