"""Two states are equal when the same lines are in them."""


def measure_idempotency(effect, fresh_state, observe, n=3):
    state = fresh_state()
    seen = [set(observe(state))]
    for _ in range(n):
        effect(state)
        seen.append(set(observe(state)))
    if all(now == seen[0] for now in seen):
        return "read_only"
    if all(now == seen[1] for now in seen[1:]):
        return "idempotent"
    return "non_idempotent"


CATCHES = "Two states with the same lines seem to be equal, however often each is there"
TEST = "test_equal_lines_count"


def witness(mutant, reference):
    def kind(function):
        return function(lambda state: state.append(1), lambda: [1], list, 3)

    return kind(mutant) != kind(reference)
