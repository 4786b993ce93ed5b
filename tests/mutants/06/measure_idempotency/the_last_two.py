"""It is idempotent when the last call changed nothing any more."""


def measure_idempotency(effect, fresh_state, observe, n=3):
    state = fresh_state()
    seen = [observe(state)]
    for _ in range(n):
        effect(state)
        seen.append(observe(state))
    if all(now == seen[0] for now in seen):
        return "read_only"
    if seen[-1] == seen[-2]:
        return "idempotent"
    return "non_idempotent"


CATCHES = "An effect that stops after its second call is not found out"
TEST = "test_every_call_is_looked_at"


def witness(mutant, reference):
    def kind(function):
        return function(lambda state: state.append(1) if len(state) < 2 else None, lambda: [], list, 4)

    return kind(mutant) != kind(reference)
