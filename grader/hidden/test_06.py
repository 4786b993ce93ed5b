"""Notebook 06: what a class bundle may leave out. Keys, notes, amounts and awkward texts are drawn for each run."""

from __future__ import annotations

import json
import random

from course_lib.crash import store
from grader.judge import exercise, promise, same, shape

SEPARATORS = [
    "",
    "/",
    ":",
    "|",
    "-",
    "_",
    ",",
    " ",
    "\n",
    "\t",
    "\x00",
    "\x1f",
    '"',
    "', '",
    '", "',
    "', \"",
    ")(",
    "\\",
]
WORDS = ["alpha", "beta", "Größe", "naïve", "日本", "x", "pump", "valve 3", "a.b"]


def name_of(rng: random.Random) -> str:
    return f"{rng.choice(WORDS)}-{rng.randrange(10**6)}"


# --- intent_key and content_fingerprint ----------------------------------------------------------


def keys_of(learner, name, calls):
    """The answers to many calls; promises that each of them is a str."""
    got = [outcome.value for outcome in learner.map(name, calls)]
    promise(all(isinstance(key, str) for key in got), f"{name} gives something else than a str")
    return got


@exercise("intent_key", rule="key-is-stable")
def test_asked_again_it_is_the_same(learner, rng):
    """Asked about the same intents later, and in another order, it gives the same keys; the same goes for contents."""
    triples = [(name_of(rng), str(n), rng.choice(["append_note", "charge_card"])) for n in range(20)]
    for name, calls in (("intent_key", triples), ("content_fingerprint", [triple[:2] for triple in triples])):
        first = dict(zip(calls, keys_of(learner, name, calls), strict=True))
        rng.shuffle(calls)
        again = dict(zip(calls, keys_of(learner, name, calls), strict=True))
        promise(first == again, f"{name}: something that changes from call to call seems to be part of it")
        *parts, last = calls[0]
        changed = keys_of(learner, name, [(*parts, f"{last}x")])[0]
        promise(changed != first[calls[0]], f"{name}: what is given last seems not to be part of it")


@exercise("intent_key", points=2, rule="key-is-stable")
def test_another_process_agrees(learner, rng):
    """Another process, started after a crash, arrives at the same key and at the same fingerprint."""
    triple = (name_of(rng), str(rng.randrange(1000)), "append_note")
    for name, args in (("intent_key", triple), ("content_fingerprint", triple[:2])):
        here = keys_of(learner, name, [args])[0]
        there = learner.crash.case(name, args).ending.outcome.value
        promise(same(here, there), f"{name}: another process arrives at something else, as Python's hash() does")
        changed = keys_of(learner, name, [(*args[:-1], f"{args[-1]}x")])[0]
        promise(changed != here, f"{name}: what is given last seems not to be part of it")


@exercise("intent_key", points=2, rule=["parts-keep-their-borders", "key-tells-intents-apart"])
def test_parts_keep_their_borders(learner, rng):
    """A piece of text that moves from one part into the next makes another key, whatever stands at the border."""
    a, b, c = name_of(rng), name_of(rng), name_of(rng)
    for separator in rng.sample(SEPARATORS, len(SEPARATORS)):
        middle = f"{a}{separator}{b}"
        pairs = [[(middle, c, "append_note"), (a, f"{b}{separator}{c}", "append_note")]]
        pairs.append([(c, middle, "append_note"), (f"{c}{separator}{a}", b, "append_note")])
        pairs.append([(c, middle, b), (c, a, f"{b}{separator}{b}")])
        for pair in pairs:
            one, other = keys_of(learner, "intent_key", pair)
            promise(one != other, "Two intents share a key: a text has moved over a border between the parts")


@exercise("intent_key", points=2, rule="parts-keep-their-borders")
def test_file_and_text_keep_their_border(learner, rng):
    """A piece of text that moves from the filename into the content makes another fingerprint."""
    a, b, c = name_of(rng), name_of(rng), name_of(rng)
    for separator in rng.sample(SEPARATORS, len(SEPARATORS)):
        pair = [(f"{a}{separator}{b}", c), (a, f"{b}{separator}{c}")]
        one, other = keys_of(learner, "content_fingerprint", pair)
        promise(one != other, "Two contents share a fingerprint: a text has moved from the filename into the content")
    one, other = keys_of(learner, "content_fingerprint", [(a, b), (a, f"{b}x")])
    promise(one != other, "Two contents share a fingerprint: the content seems not to be part of it")


@exercise("intent_key", points=2, rule="key-tells-intents-apart")
def test_thousands_of_intents(learner, rng):
    """Three thousand intents have three thousand keys, and every part of the three counts."""
    a, b, tool = name_of(rng), str(rng.randrange(1000)), "append_note"
    first, *others = keys_of(learner, "intent_key", [(a, b, tool), (f"{a}x", b, tool), (a, f"{b}0", tool), (a, b, "x")])
    for part, key in zip(("task", "step", "tool"), others, strict=True):
        promise(key != first, f"The {part} seems not to be part of the key")
    task = name_of(rng)
    keys = keys_of(learner, "intent_key", [(task, str(n), "append_note") for n in range(3000)])
    promise(len(set(keys)) == len(keys), "Among thousands of intents, two share a key: it seems to be too short")


@exercise("intent_key", points=2, rule="every-character-counts")
def test_every_character_counts(learner, rng):
    """Spaces, letter case, line ends and the last character of a long text make another name."""
    text = f"{rng.choice('abc')}{name_of(rng)}"
    changed = {
        "a space at the end": f"{text} ",
        "a space at the beginning": f" {text}",
        "the case of a letter": text[0].upper() + text[1:],
        "a line end": f"{text}\n",
    }
    for what, other in rng.sample(sorted(changed.items()), len(changed)):
        for part in range(3):
            pair = [tuple(t if place == part else "k" for place in range(3)) for t in (text, other)]
            one, two = keys_of(learner, "intent_key", pair)
            promise(one != two, f"Two intents share a key that differ in {what}")
        for pair in ([(text, "k"), (other, "k")], [("k", text), ("k", other)]):
            one, two = keys_of(learner, "content_fingerprint", pair)
            promise(one != two, f"Two contents share a fingerprint that differ in {what}")
    long = rng.choice("xyz") * rng.randrange(3000, 6000)
    one, two = keys_of(learner, "content_fingerprint", [("log.txt", f"{long}a"), ("log.txt", f"{long}b")])
    promise(one != two, "Two long contents that differ at the end share a fingerprint")
    promise(max(len(one), len(two)) <= 200, "The fingerprint of a long content has more than 200 characters")


# --- append_note_once ----------------------------------------------------------------------------


def opened(learner, name="run.db"):
    return learner.lib("course_lib.store:open_store", learner.path(name))


def text_of(learner, name):
    return (learner.read(name) or b"").decode("utf-8", "replace")


class Notes:
    """What append_note_once should leave, in the grader: keys in the order in which they came."""

    def __init__(self, learner, db):
        self.learner, self.db, self.kept = learner, db, {}

    def append(self, filename, content, key):
        """Make the call, and hold its answer and the file against what should be there."""
        repeat = key in self.kept
        self.kept.setdefault(key, (filename, content))
        got = self.learner.call("append_note_once", self.db, self.learner.path(), filename, content, key).value
        own = [k for k, (file, _) in self.kept.items() if file == filename]
        lines = text_of(self.learner, filename).split("\n")
        wanted = [self.kept[k][1] for k in own]
        if repeat:
            promise(lines != [*wanted, content, ""], "A key that is known already appends its note once more")
            promise(type(got) is int, "A repeat gives another kind of answer than the first call")
        else:
            promise(lines != [*wanted[:-1], ""], "A note with a new key is not appended")
        promise(lines == [*wanted, ""], "The file does not hold the notes on record, one a line, in their order")
        promise(same(got, own.index(key) + 1), "The answer is not the note's place in its file, counted from 1")


@exercise("append_note_once", points=2, rule=["one-key-one-effect", "repeat-gives-the-same-answer"])
def test_keys_decide_and_nothing_else(learner, rng):
    """Over many calls in any order: one note for each key, equal contents and equal files included."""
    notes = Notes(learner, opened(learner))
    files = [f"{n}.txt" for n in range(2)]
    contents = [name_of(rng), name_of(rng), "Größe ½ 日本"]
    keys = [(name_of(rng), rng.choice(files), rng.choice(contents)) for _ in range(6)]
    keys += [(name_of(rng), keys[0][1], keys[0][2]), (name_of(rng), keys[0][1], keys[0][2])]
    calls = keys + rng.sample(keys, 5)
    rng.shuffle(calls)
    for key, filename, content in calls:
        notes.append(filename, content, key)


@exercise("append_note_once", rule="other-parameters-are-refused")
def test_another_note_under_the_same_key(learner, rng, refused):
    """The same key with another content or another file is refused with ValueError, and nothing is changed by it."""
    db, root, key = opened(learner), learner.path(), name_of(rng)
    content, other = name_of(rng), name_of(rng)
    notes = Notes(learner, db)
    notes.append("log.txt", content, key)
    notes.append("log.txt", name_of(rng), name_of(rng))
    before = text_of(learner, "log.txt")
    for filename, text, what in (("log.txt", other, "content"), ("other.txt", content, "file")):
        got = learner.call("append_note_once", db, root, filename, text, key)
        refused(got, "ValueError", f"Another {what} under a known key is accepted")
        promise(text_of(learner, "log.txt") == before, "A call that is refused changes the file")
        promise(learner.read("other.txt") in (None, b""), "A call that is refused appends its note to another file")
    notes.append("log.txt", content, key)


@exercise("append_note_once", points=2, rule="record-before-file")
def test_a_disk_that_refuses(learner, rng):
    """When the file cannot be written, OSError passes through; the same call later leaves the note in it once."""
    db, folder, key, content = opened(learner), learner.write("no-folder", b""), name_of(rng), name_of(rng)
    first = learner.call("append_note_once", db, folder, "log.txt", content, key)  # a file stands where the folder is
    promise(first.error is not None, "A file that could not be written is passed over in silence")
    if not first.raised("OSError"):
        _ = first.value
    db = opened(learner)
    for _ in range(2):
        got = learner.call("append_note_once", db, learner.path(), "log.txt", content, key)
        promise(not got.raised("Error"), "After a call that failed, another connection cannot use the record")
        promise(text_of(learner, "log.txt") != "", "After a call that failed, the same call leaves no note in the file")
        promise(
            text_of(learner, "log.txt") == f"{content}\n", "After a call that failed, the note is not there just once"
        )
        promise(same(got.value, 1), "After a call that failed, the place is another one")


@exercise("append_note_once", points=2, rule="file-is-a-projection")
def test_the_file_follows_the_record(learner, rng):
    """A file that was lost, torn, edited or left half empty holds the notes on record again after the next call."""
    notes = Notes(learner, opened(learner))
    kept = [(name_of(rng), name_of(rng)) for _ in range(3)]
    for content, key in kept:
        notes.append("log.txt", content, key)
    whole = text_of(learner, "log.txt").encode()
    damages = [
        b"",
        whole[: rng.randrange(1, len(whole) - 1)],
        b"by hand\n" + whole,
        whole + f"{name_of(rng)}\n".encode(),
    ]
    for damage in rng.sample(damages, len(damages)):
        learner.write("log.txt", damage)
        content, key = rng.choice(kept)
        _ = learner.call("append_note_once", notes.db, learner.path(), "log.txt", content, key).value
        promise(text_of(learner, "log.txt").encode() == whole, "What had become of the file stays in it, or is missing")
    learner.write("log.txt", b"")
    notes.append("log.txt", name_of(rng), name_of(rng))


@exercise("append_note_once", points=2, rule="committed-when-it-returns")
def test_another_connection_knows(learner, rng):
    """What one connection has appended, another one knows at once, and each record has its own notes."""
    first, second = opened(learner), opened(learner)
    content, key = name_of(rng), name_of(rng)
    _ = learner.call("append_note_once", first, learner.path(), "log.txt", content, key).value
    second.call("execute", "PRAGMA busy_timeout = 100")
    got = learner.call("append_note_once", second, learner.path(), "log.txt", content, key)
    promise(not got.raised("Error"), "When the call has returned, its transaction still holds the record")
    promise(text_of(learner, "log.txt") == f"{content}\n", "Another connection does not know of the note")
    promise(same(got.value, 1), "Another connection arrives at another place")
    elsewhere = opened(learner, "another.db")
    _ = learner.call("append_note_once", elsewhere, learner.path(), "another.txt", name_of(rng), key).value
    lines = text_of(learner, "another.txt").count("\n")
    promise(lines == 1, "A key of one record is known in another one")


@exercise("append_note_once", points=2, rule="record-before-file")
def test_killed_at_every_instruction(learner, rng):
    """Killed before any of its instructions and called again: the note is in the file once, at its place."""
    content, key = name_of(rng), name_of(rng)
    made = learner.crash.sweep("append_note_once", lambda: (store(), ".", "log.txt", content, key), most=120)
    promise(same(made.whole.ending.outcome.value, 1), "Left alone, it does not answer with the note's place")
    files = [(data or b"").decode("utf-8", "replace") for data in learner.crash.files(made, "log.txt")]
    promise(all(text.strip() for text in files), "Killed at one place and called again, it leaves no note in the file")
    once = all(text == f"{content}\n" for text in files)
    promise(once, "Killed at one place and called again, it leaves the note in the file twice, or torn")
    for case in made.cases:
        promise(same(case.answer.value, 1), "Killed at one place and called again, it arrives at another place")


@exercise("append_note_once", points=2, rule="no-race-on-a-key")
def test_rivals_with_any_note(learner, rng, rivals):
    """A rival at any statement, with the same key: one line, the same place for both; a later note comes after it."""
    root, content, key, later = learner.path(), name_of(rng), name_of(rng), name_of(rng)
    alone = learner.call("append_note_once", opened(learner, "control.db"), root, "control.txt", content, key).value
    promise(same(alone, 1), "Without any rival, the answer is not the note's place")
    for trial in rivals("append_note_once", lambda name: (root, f"{name}.txt", content, key)):
        got = trial.call()
        promise(not got.raised("Error"), "With a rival in between, the call ends with an error")
        promise(text_of(learner, trial.args[1]).count("\n") < 2, "With a rival in between, there are two lines")
        promise(same(got.value, 1), "With a rival in between, the answer is not the note's place")
        promise(same(trial.ask_again().value, 1), "Asked afterwards, the rival does not arrive at the note's place")
        place = learner.call("append_note_once", trial.db, root, trial.args[1], later, f"{key} later").value
        promise(same(place, 2), "A note that comes after a race has the wrong place")
        lines = text_of(learner, trial.args[1])
        promise(lines == f"{content}\n{later}\n", "After a race, the file does not hold the notes on record")


# --- call_once -----------------------------------------------------------------------------------


class Service:
    """Counts its calls and answers the n-th with the n-th of the given answers, the last one over and over."""

    def __init__(self, *answers):
        self._answers, self._calls = list(answers), 0

    def __call__(self):
        self._calls += 1
        answer = self._answers[min(self._calls, len(self._answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer


def said(outcome):
    """(status, value) of a Response; promises that it is one."""
    fields = getattr(outcome.value, "fields", None)
    promise(isinstance(fields, dict) and fields.keys() == {"status", "value"}, "The answer is not a Response")
    return fields["status"], fields["value"]


def charge(rng):
    return {"card": str(rng.randrange(10**6)), "amount": rng.randrange(100, 10**6), "note": name_of(rng)}


def receipt(rng):
    return {"ok": True, "receipt": rng.randrange(10**9)}


@exercise("call_once", points=2, rule=["one-key-one-effect", "repeat-gives-the-same-answer"])
def test_every_answer_is_kept(learner, rng):
    """Whatever fn returned, a refusal, None or an empty list too, comes back at each repeat, and fn is called once."""
    db = opened(learner)
    declined = {"ok": False, "error": f"card_declined {rng.randrange(1000)}"}
    values = [receipt(rng), declined, None, False, 0, [], "", {"lines": [1, None, name_of(rng)]}]
    calls = [(name_of(rng), charge(rng), value) for value in rng.sample(values, len(values))]
    services = [learner.remote(Service(value, "called again")) for _, _, value in calls]
    for asked in range(3):
        for (key, params, value), service in zip(calls, services, strict=True):
            status, got = said(learner.call("call_once", db, key, params, service))
            again = "fn is called again for a key that has its answer"
            if isinstance(value, dict) and value.get("ok") is False:
                again = "After an answer that says no, fn is called again"
            promise(service.obj._calls < 2, again)
            promise(service.obj._calls == 1, "fn is not called for a new key")
            promise(status == "done", "The status of a call that has its answer is another one than done")
            missing = (
                "A repeat does not give the answer of the first call" if asked else "The answer is not what fn returned"
            )
            promise(same(got, value), missing)


@exercise("call_once", rule="one-key-one-effect")
def test_another_key_is_another_call(learner, rng):
    """Equal params under other keys are other calls, each with its own answer, and so is the same key elsewhere."""
    db, params = opened(learner), charge(rng)
    for _ in range(4):
        answer = receipt(rng)
        service = Service(answer)
        got = said(learner.call("call_once", db, name_of(rng), params, learner.remote(service)))
        promise(service._calls == 1, "A new key with params that are known already is taken for a repeat")
        promise(same(got, ("done", answer)), "A new key gives the answer of another one")
    key = name_of(rng)
    for record in ("one.db", "two.db"):
        service = Service(receipt(rng))
        _ = said(learner.call("call_once", opened(learner, record), key, params, learner.remote(service)))
        promise(service._calls == 1, "A key of one record is known in another one")


def turned(params):
    """The same params with their keys in another order, at every depth."""
    if isinstance(params, dict):
        return {key: turned(params[key]) for key in reversed(params)}
    return params


@exercise("call_once", points=2, rule="other-parameters-are-refused")
def test_other_params_are_refused(learner, rng, refused):
    """Other params under a known key are refused with ValueError, equal ones are not; what is on record stays."""
    db, key, params = opened(learner), name_of(rng), charge(rng) | {"to": {"name": name_of(rng), "town": name_of(rng)}}
    answer = receipt(rng)
    service = learner.remote(Service(answer))
    _ = said(learner.call("call_once", db, key, params, service))
    others = [params | {"amount": params["amount"] + 1}, params | {"to": {**params["to"], "town": "x"}}, {}]
    others.append({name: params[name] for name in params if name != "note"})
    for other in rng.sample(others, len(others)):
        got = learner.call("call_once", db, key, other, service)
        promise(service.obj._calls == 1, "With other params under a known key, fn is called")
        refused(got, "ValueError", "Other params under a known key are accepted")
    for equal in (json.loads(json.dumps(params)), turned(params)):
        got = learner.call("call_once", db, key, equal, service)
        promise(not got.raised("ValueError"), "Equal params are refused when they are written anew")
        promise(same(said(got), ("done", answer)), "After a refusal, what is on record has changed")


@exercise("call_once", rule="other-parameters-are-refused")
def test_a_doubt_has_params_too(learner, rng, refused):
    """Other params are refused while the key is in doubt, and the doubt stays."""
    db, key, params = opened(learner), name_of(rng), charge(rng)
    service = learner.remote(Service(TimeoutError("no answer"), receipt(rng)))
    learner.call("call_once", db, key, params, service)
    got = learner.call("call_once", db, key, params | {"amount": params["amount"] + 1}, service)
    promise(service.obj._calls == 1, "With other params under a key in doubt, fn is called")
    refused(got, "ValueError", "Other params under a key in doubt are accepted")
    status, _ = said(learner.call("call_once", db, key, params, service))
    promise(status == "in_doubt", "After a refusal, the doubt is gone")


@exercise("call_once", points=2, rule="never-sent-is-free-again")
def test_what_never_left_may_be_sent_again(learner, rng):
    """After ConnectionRefusedError, which passes through, the next call with the key goes out; its answer is kept."""
    db, key, params, answer = opened(learner), name_of(rng), charge(rng), receipt(rng)
    refusals = rng.randrange(1, 4)
    service = learner.remote(Service(*[ConnectionRefusedError("not reached")] * refusals, answer))
    for _ in range(refusals):
        got = learner.call("call_once", db, key, params, service)
        if got.error is None:
            promise(said(got)[0] != "in_doubt", "A request that never left is kept as a doubt for ever")
        promise(got.error is not None, "ConnectionRefusedError does not pass through")
        promise(got.raised("ConnectionRefusedError"), "Another exception comes out than fn raised")
    got = said(learner.call("call_once", opened(learner), key, params, service))
    promise(got[0] != "in_doubt", "A request that never left is kept as a doubt for ever")
    promise(service.obj._calls == refusals + 1, "After a request that never left, fn is not called again")
    promise(same(got, ("done", answer)), "After a request that never left, the answer is not what fn returned")
    _ = said(learner.call("call_once", db, key, params, service))
    promise(service.obj._calls == refusals + 1, "After a request that never left, the key is not remembered any more")


@exercise("call_once", points=2, rule="in-doubt-is-said")
def test_any_other_error_is_a_doubt(learner, rng):
    """After any other exception of fn the key is in doubt, on every connection, and fn is not called again."""
    kinds = [TimeoutError, ConnectionResetError, ConnectionAbortedError, OSError, RuntimeError, ValueError, KeyError]
    for n, kind in enumerate(rng.sample(kinds, len(kinds))):
        db, key, params = opened(learner, f"{n}.db"), name_of(rng), charge(rng)
        service = learner.remote(Service(kind("no answer"), receipt(rng)))
        got = learner.call("call_once", db, key, params, service)
        promise(got.error is not None, "An exception of fn does not pass through")
        promise(got.raised(kind.__name__), "Another exception comes out than fn raised", raised=got.error.type)
        for again in (db, opened(learner, f"{n}.db")):
            later = learner.call("call_once", again, key, params, service)
            promise(not later.raised("Error"), "After an exception of fn, another connection cannot use the record")
            sentence = "After an exception that leaves it open whether the call arrived, it goes out again"
            promise(service.obj._calls == 1, sentence, raised=kind.__name__)
            promise(same(said(later), ("in_doubt", None)), "The doubt is not said", raised=kind.__name__)


@exercise("call_once", points=2, rule="in-doubt-is-said")
def test_a_stop_while_the_call_is_out(learner, rng):
    """When the process stops while fn is at work, the start is on record: the next process says in_doubt."""
    db, key, params = opened(learner), name_of(rng), charge(rng)
    service = learner.remote(Service(OSError("the machine was switched off"), receipt(rng)))
    got = learner.call("call_once", db, key, params, service)
    if service.obj._calls == 0:
        _ = got.value
    db.call("close")  # what was not committed is gone, as after a crash
    later = learner.call("call_once", opened(learner), key, params, service)
    promise(service.obj._calls == 1, "The start seems not to be committed before the call: it goes out again")
    promise(same(said(later), ("in_doubt", None)), "After a stop in the middle of the call, the doubt is not said")


@exercise("call_once", points=2, rule=["in-doubt-is-said", "one-key-one-effect"])
def test_killed_at_any_instruction(learner, rng):
    """Killed before any of its instructions and asked again: never two calls, never done where there was none."""
    key, params, answer = name_of(rng), charge(rng), receipt(rng)
    made = learner.crash.sweep("call_once", lambda: (store(), key, params, learner.remote(Service(answer))), most=120)
    promise(same(said(made.whole.ending.outcome), ("done", answer)), "Left alone, it does not give the answer of fn")
    ends = [(case.args[3].obj._calls, *said(case.answer)) for case in made.cases]
    promise(all(calls < 2 for calls, _, _ in ends), "Killed at one place and asked again, it calls fn a second time")
    guessed = any(status == "done" and not (calls == 1 and same(value, answer)) for calls, status, value in ends)
    promise(not guessed, "Killed at one place and asked again, it says done and cannot know it")
    told = all(status in ("done", "in_doubt") for _, status, _ in ends)
    promise(told, "Killed at one place and asked again, its status is neither done nor in_doubt")
    through = [status for calls, status, _ in ends if calls == 1]
    promise("done" in through, "Killed after its result was recorded, it does not say done")


@exercise("call_once", points=2, rule="committed-when-it-returns")
def test_the_answer_is_kept_before_it_is_given(learner, rng):
    """When call_once has returned, its answer is on record: another connection gives it."""
    db, key, params, answer = opened(learner), name_of(rng), charge(rng), receipt(rng)
    service = learner.remote(Service(answer))
    _ = said(learner.call("call_once", db, key, params, service))
    db.call("close")
    second = opened(learner)
    status, value = said(learner.call("call_once", second, key, params, service))
    promise(service.obj._calls == 1, "After a stop, a call that had its answer goes out again")
    promise(status == "done", "The answer was given before it was kept: after a stop there is a doubt")
    promise(same(value, answer), "After a stop, another answer is given")
    third = opened(learner)
    third.call("execute", "PRAGMA busy_timeout = 100")
    free = learner.call("call_once", third, name_of(rng), params, service)
    promise(not free.raised("Error"), "When the call has returned, its transaction still holds the record")
    _ = free.value


@exercise("call_once", points=2, rule="no-race-on-a-key")
def test_somebody_asks_while_the_call_is_out(learner, rng, answer_itself):
    """Who asks while fn is at work learns that it is in doubt, and calls nothing."""
    db, other, key, params = opened(learner), opened(learner), name_of(rng), charge(rng)
    other.call("execute", "PRAGMA busy_timeout = 100")
    answer, inner = receipt(rng), Service(receipt(rng))
    outer = Service(answer)
    act = learner.lib("functools:partial", answer_itself("call_once"), other, key, params, learner.remote(inner))
    meanwhile = learner.lib("course_lib.effects:Meanwhile", act, learner.remote(outer))
    got = learner.call("call_once", db, key, params, meanwhile)
    if outer._calls == 0:
        _ = got.value
    promise(inner._calls == 0, "While the call is out, a second one with the same key goes out as well")
    seen = meanwhile.get("outcome")
    fields = getattr(seen.value, "fields", None)
    told = "Who asks while the call is out is not told in_doubt"
    promise(isinstance(fields, dict) and same(fields, {"status": "in_doubt", "value": None}), told)
    promise(same(said(got), ("done", answer)), "Somebody who asked in the meantime has changed the answer")
    promise(outer._calls == 1, "fn is called more than once")


@exercise("call_once", points=2, rule="no-race-on-a-key")
def test_rivals_call_once_between_them(learner, rng, rivals):
    """With a rival at any statement fn is called once between the two, and both arrive at the same answer."""
    key, params, answers = name_of(rng), charge(rng), [receipt(rng) for _ in range(3)]
    services = {}
    alone = learner.call("call_once", opened(learner, "control.db"), key, params, learner.remote(Service(*answers)))
    promise(same(said(alone), ("done", answers[0])), "Without any rival, the answer of the call is not given")

    def arguments(name):
        services[name] = Service(*answers)
        return key, params, learner.remote(services[name])

    for at, trial in enumerate(rivals("call_once", arguments)):
        service = services[str(at)]
        got = trial.call()
        promise(not got.raised("Error"), "With a rival in between, the call ends with an error")
        promise(service._calls < 2, "With a rival in between, the call goes out twice")
        promise(
            same(said(got), ("done", answers[0])), "With a rival in between, the answer of the one call is not given"
        )
        promise(same(said(trial.ask_again()), ("done", answers[0])), "Asked afterwards, the answer is another one")
        promise(service._calls == 1, "Asked afterwards, the call goes out again")


# --- attempts and RetryBudget --------------------------------------------------------------------


def calls_at_the_bottom(layers, max_retries):
    """Counted, not computed: each layer sends, and sends again."""
    if layers == 0:
        return 1
    return sum(calls_at_the_bottom(layers - 1, max_retries) for _ in range(max_retries + 1))


@exercise("attempts", points=2, rule="layers-multiply")
def test_any_number_of_layers(learner, rng):
    """Any number of layers and retries, none included: as many calls as a bottom that counts would see."""
    layers, retries = rng.randrange(3, 6), rng.randrange(2, 4)
    cases = [(layers, retries), (3, 3)]
    edges = [(1, rng.randrange(3, 9)), (rng.randrange(2, 6), 0), (0, rng.randrange(1, 5))]
    for case in rng.sample(cases, len(cases)) + rng.sample(edges, len(edges)):
        depth, again = case
        got, counted = learner.call("attempts", *case).value, calls_at_the_bottom(*case)
        if counted > 1 and depth > 1:
            promise(not same(got, again**depth), "Retries are counted where attempts are meant")
            added = {depth * (again + 1), depth * again + 1}
            promise(not (counted not in added and got in added), "Layers seem to be added, not multiplied")
            whole = sum((again + 1) ** n for n in range(1, depth + 1))
            promise(not same(got, whole), "The calls at every layer are counted, not those at the bottom")
        promise(
            same(got, counted), "This is not the number of calls that reach the bottom", layers=depth, retries=again
        )


class Tokens:
    """A budget in whole numbers: tokens are counted in parts of which `parts` make one."""

    def __init__(self, parts, burst):
        self.parts, self.most, self.held = parts, burst * parts, 0

    def request(self):
        self.held = min(self.held + 1, self.most)

    def allow(self):
        if self.held < self.parts:
            return False
        self.held -= self.parts
        return True

    def said(self, steps):
        """The same as `asked`, as it should be."""
        given = [self.allow() if step == "a" else self.request() for step in steps]
        return [answer for answer in given if answer is not None]


@exercise("attempts", points=2, rule="budget-is-filled-and-emptied")
def test_a_budget_over_a_long_day(learner, rng):
    """Requests and retries in any order: a retry goes out when a whole token is there, and only then."""
    for _ in range(3):
        parts, burst = rng.choice([2, 4, 8]), rng.randrange(2, 5)
        whole = "A retry is refused though a whole token is there"
        promise(asked(learner, parts, burst, "r" * parts + "a") == [True], whole)
        refused_first = "a" * rng.randrange(2, 5) + "r" * parts + "a"
        given = asked(learner, parts, burst, refused_first)
        promise(not any(given[:-1]), "A retry goes out though there is no whole token")
        promise(given[-1], "A refused retry seems to cost a token as well")
        steps = "".join("r" if rng.random() < 0.7 else "a" for _ in range(60))
        tokens = Tokens(parts, burst)
        for got, step in zip(asked(learner, parts, burst, steps), tokens.said(steps), strict=True):
            promise(got or not step, whole)
            promise(step or not got, "A retry goes out though there is no whole token")


def asked(learner, parts, burst, steps):
    """What a new budget says at each "a" of `steps`, where "r" is a request."""
    budget = learner.new("RetryBudget", 1 / parts, burst)
    given = [budget.call("allow" if step == "a" else "request").value for step in steps]
    said = [answer for answer, step in zip(given, steps, strict=True) if step == "a"]
    promise(all(isinstance(answer, bool) for answer in said), "allow() gives something else than True or False")
    return said


@exercise("attempts", points=2, rule="budget-is-bounded")
def test_a_good_day_is_not_saved_up(learner, rng):
    """After a very long good time the budget holds `burst` tokens, 10 if nothing is said, and then nothing."""
    for burst in (None, rng.randrange(2, 8)):
        ratio = rng.choice([0.5, 0.25, 1.0])
        budget = learner.new("RetryBudget", ratio) if burst is None else learner.new("RetryBudget", ratio, burst)
        for _ in range(int(15 / ratio) + rng.randrange(20)):
            _ = budget.call("request").value
        held = burst or 10
        given = [budget.call("allow").value for _ in range(held + 3)]
        promise(given[:held] == [True] * held, "After a long good time, less than burst retries are given out")
        promise(given[held:] == [False] * 3, "What a good day has saved up is more than burst")


@exercise("attempts", points=2, rule="budget-is-bounded")
def test_no_budget_is_none(learner, rng):
    """With a ratio of 0 no retry goes out, ever; and no budget knows of another one."""
    nothing, full = learner.new("RetryBudget", 0), learner.new("RetryBudget", 1.0)
    for _ in range(rng.randrange(20, 30)):
        _ = nothing.call("request").value
        _ = full.call("request").value
    first = full.call("allow").value
    given = [nothing.call("allow").value for _ in range(3)]
    promise(first is True, "With a ratio of 1, many requests do not pay for one retry")
    promise(given == [False] * 3, "With a ratio of 0 a retry is given out")
    fresh = learner.new("RetryBudget", 1.0)
    promise(fresh.call("allow").value is False, "A new budget gives out a retry that no request has paid for")


# --- measure_idempotency -------------------------------------------------------------------------


class Bench:
    """States that are lists, an effect that is given as a function of the state and the number of the call."""

    def __init__(self, rng, effect, start=()):
        self._rng, self._effect, self._start = rng, effect, list(start)
        self._states, self._calls = 0, 0

    def fresh_state(self):
        self._states, self._calls = self._states + 1, 0
        return list(self._start)

    def effect(self, state):
        self._calls += 1
        self._effect(state, self._calls)
        return {"ok": True, "number": self._rng.randrange(10**9)}

    def observe(self, state):
        return list(state)


def measured(learner, bench, *n):
    functions = [learner.remote(function) for function in (bench.effect, bench.fresh_state, bench.observe)]
    got = learner.call("measure_idempotency", *functions, *n).value
    promise(shape(got, str), "The answer is not one of the three words")
    return got


def put(line):
    def effect(state, call):
        state[:] = [line]

    return effect


def add(line):
    def effect(state, call):
        state.append(line)

    return effect


@exercise("measure_idempotency", points=2, rule="kind-is-measured-on-the-state")
def test_what_a_call_returns_says_nothing(learner, rng):
    """Answers that are new each time make nothing non-idempotent, and equal ones make nothing idempotent."""
    line = name_of(rng)
    kinds = [("read_only", lambda state, call: None), ("idempotent", put(line)), ("non_idempotent", add(line))]
    for kind, effect in rng.sample(kinds, len(kinds)):
        got = measured(learner, Bench(rng, effect, [name_of(rng)]))
        if kind != "non_idempotent":
            promise(got != "non_idempotent", "What the effect returns seems to be looked at, not the state")
        promise(got == kind, "The kind is not the one that the state shows", found=got)


@exercise("measure_idempotency", points=2, rule="kind-is-measured-on-the-state")
def test_equal_lines_count(learner, rng):
    """A state that only repeats or reorders what it held before is another state."""
    line = name_of(rng)
    turn = [name_of(rng), name_of(rng)]
    effects = [Bench(rng, add(line), [line]), Bench(rng, lambda state, call: state.reverse(), turn)]
    for bench in rng.sample(effects, len(effects)):
        got = measured(learner, bench)
        promise(got == "non_idempotent", "Two states with the same lines seem to be equal, however often each is there")


@exercise("measure_idempotency", points=2, rule="measured-over-all-calls")
def test_every_call_is_looked_at(learner, rng):
    """An effect that goes back, that waits, or that stops after a while is not idempotent, and not read-only."""
    line, n = name_of(rng), rng.randrange(4, 7)

    def there_and_back(state, call):
        state[:] = [line] if call % 2 else []

    def late(state, call):
        if call == n:
            state.append(line)

    def twice(state, call):
        if call <= 2:
            state.append(line)

    cases = [("goes back", there_and_back), ("waits", late), ("stops after its second call", twice)]
    for what, effect in rng.sample(cases, len(cases)):
        for calls in (n, n + 1 if what != "waits" else n):
            got = measured(learner, Bench(rng, effect), calls)
            promise(got == "non_idempotent", f"An effect that {what} is not found out")


@exercise("measure_idempotency", rule="measured-from-a-fresh-state")
def test_each_measurement_is_new(learner, rng):
    """Measured a second time, in a new state, a tool that writes does not look read-only."""
    bench = Bench(rng, put(name_of(rng)), [name_of(rng)])
    for _ in range(3):
        before = bench._states
        got = measured(learner, bench)
        promise(got != "read_only", "What is there already is written once more: the state was not a new one")
        promise(got == "idempotent", "The kind is not the one that the state shows", found=got)
        promise(bench._states > before, "No new state was made for a measurement")
