"""If the first call changes nothing, it is read-only."""


def measure_idempotency(effect, fresh_state, observe, n=3):
    state = fresh_state()
    seen = [observe(state)]
    for _ in range(n):
        effect(state)
        seen.append(observe(state))
        if seen[1] == seen[0]:
            return "read_only"
    if all(now == seen[0] for now in seen):
        return "read_only"
    if all(now == seen[1] for now in seen[1:]):
        return "idempotent"
    return "non_idempotent"


CATCHES = "An effect that waits is not found out"
TEST = "test_every_call_is_looked_at"


def witness(mutant, reference):
    def kind(function):
        calls = []

        def late(state):
            calls.append(1)
            if len(calls) == 2:
                state.append(1)

        return function(late, list, list)

    return kind(mutant) != kind(reference)
