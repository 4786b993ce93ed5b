"""Notebook 06: what learners may read. The first line of each docstring is the promise on their card."""

from __future__ import annotations

from grader.judge import exercise, promise, same

CHARGE = {"card": "4711", "amount": 500}


# --- intent_key and content_fingerprint ----------------------------------------------------------


@exercise("intent_key", rule="key-is-stable")
def test_the_same_intent_has_the_same_key(learner):
    """The same step of the same task with the same tool has one key, asked twice; it is a str."""
    keys = [learner.call("intent_key", "summary-7", "3", "append_note").value for _ in range(2)]
    promise(all(isinstance(key, str) for key in keys), "The key is not a str", promised="a str", keys=keys)
    promise(keys[0] == keys[1], "Asked twice about one intent, it gives two keys", keys=keys)
    other = learner.call("intent_key", "summary-7", "4", "append_note").value
    promise(other != keys[0], "The next step has the key of this one", key=other)


@exercise("intent_key", after="test_the_same_intent_has_the_same_key", rule="key-tells-intents-apart")
def test_another_intent_has_another_key(learner):
    """Another task, another step or another tool: another key."""
    first = learner.call("intent_key", "summary-7", "3", "append_note").value
    others = {"task": ("summary-8", "3", "append_note"), "step": ("summary-7", "4", "append_note")}
    others["tool"] = ("summary-7", "3", "charge_card")
    for part, triple in others.items():
        promise(learner.call("intent_key", *triple).value != first, f"The {part} seems not to be part of the key")


@exercise("intent_key", rule="parts-keep-their-borders")
def test_a_border_between_file_and_text(learner):
    """The pairs ("log", "2 pumps") and ("log2", " pumps") have two fingerprints: borders count."""
    one = learner.call("content_fingerprint", "log", "2 pumps").value
    other = learner.call("content_fingerprint", "log2", " pumps").value
    promise(isinstance(one, str) and isinstance(other, str), "The fingerprint is not a str")
    promise(one != other, "Filename and content seem to be glued together without a border")
    third = learner.call("content_fingerprint", "log", "3 pumps").value
    promise(third != one, "Another content has the same fingerprint")


# --- append_note_once ----------------------------------------------------------------------------


@exercise("append_note_once", rule=["one-key-one-effect", "repeat-gives-the-same-answer"])
def test_same_key_twice_then_another(learner):
    """The same key twice leaves one line, another key a second one; each answer is the note's place."""
    db = learner.lib("course_lib.store:open_store", learner.path("run.db"))
    root, places, lines = learner.path(), [], []
    for key in ("first", "first", "second"):
        places.append(learner.call("append_note_once", db, root, "log.txt", "Pump checked.", key).value)
        lines.append((learner.read("log.txt") or b"").decode("utf-8", "replace"))
    promise(lines[0] == "Pump checked.\n", "After the first call the file does not hold the one line", file=lines[0])
    promise(lines[1] == lines[0], "The same key, sent again, changes the file", file=lines[1])
    promise(lines[2] == "Pump checked.\n" * 2, "Another key with the same content is not another line", file=lines[2])
    promise(same(places, [1, 1, 2]), "The answers are not the places in the file", promised=[1, 1, 2], places=places)


@exercise("append_note_once", after="test_same_key_twice_then_another", rule="other-parameters-are-refused")
def test_a_key_belongs_to_one_note(learner, refused):
    """The same key with another content is a ValueError, and the first note stays."""
    db = learner.lib("course_lib.store:open_store", learner.path("run.db"))
    _ = learner.call("append_note_once", db, learner.path(), "log.txt", "Pump checked.", "k").value
    got = learner.call("append_note_once", db, learner.path(), "log.txt", "Valve replaced.", "k")
    refused(got, "ValueError", "Another content under a known key is accepted")
    promise(learner.read("log.txt") == b"Pump checked.\n", "After the refusal the file is another one")


@exercise("append_note_once", after="test_same_key_twice_then_another", rule="file-is-a-projection")
def test_a_torn_file_is_put_right(learner):
    """Whatever became of the file, one more call leaves exactly the notes on record in it."""
    db = learner.lib("course_lib.store:open_store", learner.path("run.db"))
    for n in range(2):
        _ = learner.call("append_note_once", db, learner.path(), "log.txt", f"Note {n}", f"key {n}").value
    learner.write("log.txt", b"Note 0\nNo")
    _ = learner.call("append_note_once", db, learner.path(), "log.txt", "Note 1", "key 1").value
    file = (learner.read("log.txt") or b"").decode("utf-8", "replace")
    promise(file == "Note 0\nNote 1\n", "What is on record and what is in the file part ways", file=file)


@exercise("append_note_once", after="test_same_key_twice_then_another", rule="no-race-on-a-key")
def test_a_rival_at_every_statement(learner, rivals):
    """Another connection makes the same call just before one of your statements, whichever: one line, place 1."""
    root = learner.path()
    for trial in rivals("append_note_once", lambda name: (root, f"{name}.txt", "Pump checked.", "k")):
        got = trial.call()
        promise(not got.raised("Error"), "With a rival in between, the call ends with an error", before=trial.statement)
        promise(same(got.value, 1), "With a rival in between, the place is another one", before=trial.statement)
        promise(same(trial.ask_again().value, 1), "Asked once more, the place is another one", before=trial.statement)
        lines = (learner.read(trial.args[1]) or b"").count(b"\n")
        promise(lines == 1, "With a rival between two statements, there is not one line", before=trial.statement)


# --- call_once -----------------------------------------------------------------------------------


class Card:
    """A card service in the grader: counts its calls and answers each with the next of the given answers."""

    def __init__(self, *answers):
        self._answers, self._calls = list(answers), 0

    def __call__(self):
        self._calls += 1
        answer = self._answers[min(self._calls, len(self._answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer


def answered(outcome):
    """(status, value) of a Response; promises that it is one."""
    fields = getattr(outcome.value, "fields", None)
    promise(isinstance(fields, dict) and fields.keys() == {"status", "value"}, "The answer is not a Response")
    return fields["status"], fields["value"]


@exercise("call_once", rule=["one-key-one-effect", "repeat-gives-the-same-answer"])
def test_a_charge_and_its_repeat(learner):
    """The same key twice calls fn once and gives the same Response twice; another key calls it again."""
    db = learner.lib("course_lib.store:open_store", learner.path("run.db"))
    card = Card({"ok": True, "receipt": 1}, {"ok": True, "receipt": 2})
    for key, receipt in (("first", 1), ("first", 1), ("second", 2)):
        got = answered(learner.call("call_once", db, key, CHARGE, learner.remote(card)))
        promised = ("done", {"ok": True, "receipt": receipt})
        promise(same(got, promised), "This is not the answer of the call with this key", promised=promised, key=key)
        promise(card._calls == receipt, "fn was not called once for each key", calls=card._calls, key=key)


@exercise("call_once", after="test_a_charge_and_its_repeat", rule="other-parameters-are-refused")
def test_a_key_belongs_to_one_call(learner, refused):
    """The same key with another amount is a ValueError, and nothing is charged."""
    db = learner.lib("course_lib.store:open_store", learner.path("run.db"))
    card = Card({"ok": True, "receipt": 1})
    _ = learner.call("call_once", db, "k", CHARGE, learner.remote(card)).value
    got = learner.call("call_once", db, "k", CHARGE | {"amount": 900}, learner.remote(card))
    refused(got, "ValueError", "Other parameters under a known key are accepted")
    promise(card._calls == 1, "A call with other parameters went out before it was refused")


@exercise("call_once", after="test_a_charge_and_its_repeat", rule="in-doubt-is-said")
def test_silence_is_a_doubt(learner):
    """After a timeout the exception passes through, and the same key is in_doubt: fn is not called again."""
    db = learner.lib("course_lib.store:open_store", learner.path("run.db"))
    card = Card(TimeoutError("no answer"), {"ok": True, "receipt": 1})
    first = learner.call("call_once", db, "k", CHARGE, learner.remote(card))
    promise(first.raised("TimeoutError"), "The timeout does not pass through")
    status, value = answered(learner.call("call_once", db, "k", CHARGE, learner.remote(card)))
    promise(card._calls == 1, "After a timeout the call goes out again", calls=card._calls)
    promise(same((status, value), ("in_doubt", None)), "The doubt is not said", promised=("in_doubt", None))


# --- attempts and RetryBudget --------------------------------------------------------------------


@exercise("attempts", rule="layers-multiply")
def test_the_sum_of_two_layers(learner):
    """Two layers that retry once make 4 calls at the bottom; without layers it is the one call."""
    got = learner.call("attempts", 2, 1).value
    promise(same(got, 4), "This is not the sum of the worked example", promised=4)
    promise(same(learner.call("attempts", 0, 3).value, 1), "Without layers there is not the one call", promised=1)


@exercise("attempts", rule="budget-is-filled-and-emptied")
def test_four_requests_for_one_retry(learner):
    """At a ratio of 0.25 four requests pay for one retry and not for two; before them there is none."""
    budget = learner.new("RetryBudget", 0.25)
    promise(budget.call("allow").value is False, "A new budget gives out a retry")
    for _ in range(4):
        _ = budget.call("request").value
    got = [budget.call("allow").value for _ in range(2)]
    promise(same(got, [True, False]), "Four requests do not pay for just one retry", promised=[True, False])


# --- measure_idempotency -------------------------------------------------------------------------


class Shelf:
    """States that are lists of lines, one effect on them, and what can be seen of them."""

    def __init__(self, effect):
        self._effect, self._made = effect, 0

    def fresh_state(self):
        self._made += 1
        return ["a note"]

    def effect(self, state):
        self._effect(state)
        return {"ok": True}

    def observe(self, state):
        return list(state)


def overwrite(state):
    state[:] = ["a report"]


@exercise("measure_idempotency", rule="kind-is-measured-on-the-state")
def test_the_three_kinds(learner):
    """Reading is read_only, overwriting idempotent, appending non_idempotent."""
    kinds = {
        "read_only": Shelf(lambda state: None),
        "idempotent": Shelf(overwrite),
        "non_idempotent": Shelf(lambda state: state.append("a line")),
    }
    for kind, shelf in kinds.items():
        functions = map(learner.remote, (shelf.effect, shelf.fresh_state, shelf.observe))
        got = learner.call("measure_idempotency", *functions).value
        promise(same(got, kind), "This is not the kind of the effect", promised=kind)
