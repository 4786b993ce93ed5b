"""One state is enough for all measurements."""

kept = {}


def measure_idempotency(effect, fresh_state, observe, n=3):
    state = kept.setdefault("state", None) or kept.setdefault("made", fresh_state())
    seen = [observe(state)]
    for _ in range(n):
        effect(state)
        seen.append(observe(state))
    if all(now == seen[0] for now in seen):
        return "read_only"
    if all(now == seen[1] for now in seen[1:]):
        return "idempotent"
    return "non_idempotent"


CATCHES = "What is there already is written once more: the state was not a new one"
TEST = "test_each_measurement_is_new"


def witness(mutant, reference):
    def kinds(function):
        def put(state):
            state[:] = ["x"]

        return [function(put, lambda: ["old"], list) for _ in range(2)]

    return kinds(mutant) != kinds(reference)
