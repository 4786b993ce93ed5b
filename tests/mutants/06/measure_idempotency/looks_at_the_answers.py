"""A call is idempotent when it answers the same each time."""


def measure_idempotency(effect, fresh_state, observe, n=3):
    state = fresh_state()
    seen, answers = [observe(state)], []
    for _ in range(n):
        answers.append(effect(state))
        seen.append(observe(state))
    if any(answer != answers[0] for answer in answers):
        return "non_idempotent"
    if all(now == seen[0] for now in seen):
        return "read_only"
    if all(now == seen[1] for now in seen[1:]):
        return "idempotent"
    return "non_idempotent"


CATCHES = "What the effect returns seems to be looked at, not the state"
TEST = "test_what_a_call_returns_says_nothing"


def witness(mutant, reference):
    def kind(function):
        answers = iter(range(99))
        return function(lambda state: next(answers), list, list)

    return kind(mutant) != kind(reference)
