"""What the second call leaves alone, no later one will change."""


def measure_idempotency(effect, fresh_state, observe, n=3):
    state = fresh_state()
    seen = [observe(state)]
    for _ in range(2):
        effect(state)
        seen.append(observe(state))
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
            if len(calls) == 4:
                state.append(1)

        return function(late, list, list, 4)

    return kind(mutant) != kind(reference)
