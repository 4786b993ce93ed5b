"""Notebook 03: what learners may read. The first line of each docstring is the promise on their card."""

from __future__ import annotations

from course_lib.gates import GateContext, GateDecision, TextObservation, ToolCall
from grader.judge import exercise, promise, same, shape

NO_DECISION = "evaluate does not return a GateDecision"


def seen(tool, turn, text, args=None):
    return TextObservation(ToolCall(tool, args or {}, turn), turn, text)


class Books:
    """A ledger that stays in the grader; an answer that asks it gets what it should."""

    def __init__(self, observations=()):
        self._observations = list(observations)

    def record(self, observation):
        self._observations.append(observation)

    def cumulative(self):
        return sum(len(each.text) // 4 for each in self._observations)

    def per_tool(self, tool):
        return sum(len(each.text) // 4 for each in self._observations if each.call.tool == tool)

    def latest_turn(self):
        return max((each.turn for each in self._observations), default=0)

    def rows(self):
        rows, total = [], 0
        for each in sorted(self._observations, key=lambda each: each.turn):
            tokens = len(each.text) // 4
            total += tokens
            rows.append({"turn": each.turn, "tool": each.call.tool, "tokens": tokens, "cumulative": total})
        return rows


class Gate:
    """Denies the tools that it is given, and notes what it is asked about."""

    def __init__(self, name, denies=(), error=None):
        self._name, self._denies, self._error, self._asked = name, denies, error, []

    def evaluate(self, call, ctx):
        self._asked.append((call, ctx))
        if self._error is not None:
            raise self._error
        return GateDecision(call.tool not in self._denies, f"said by {self._name}", self._name)


class Model:
    """Proposes one call after the other and notes what it is told."""

    def __init__(self, calls):
        self._calls, self._told = list(calls), []

    def next_call(self, messages):
        self._told.append(messages)
        return self._calls[len(self._told) - 1] if len(self._told) <= len(self._calls) else None


class Tool:
    """Returns a text and notes its arguments."""

    def __init__(self, text):
        self._text, self._ran = text, []

    def __call__(self, args):
        self._ran.append(args)
        return self._text


def decide(gate, call, ctx):
    """Whether the learner's gate allows the call."""
    said = gate.call("evaluate", call, ctx).value
    fits = shape(said, "GateDecision") and shape(said.fields, {"allow": bool, "reason": str, "gate_name": str})
    promise(fits, NO_DECISION, promised='GateDecision(allow=..., reason="...", gate_name="...")')
    return said.allow


# --- ObservationLedger --------------------------------------------------------------------------


@exercise("ObservationLedger", rule="token-estimate")
def test_four_characters_are_a_token(learner):
    """A text costs a quarter of its characters, rounded down; the total is the sum over all observations."""
    ledger = learner.new("ObservationLedger")
    total = 0
    for text, tokens in [("", 0), ("yes", 0), ("four", 1), ("seven77", 1), ("x" * 400, 100)]:
        _ = ledger.call("record", seen("ask", 1, text)).value
        total += tokens
        got = ledger.call("cumulative").value
        promise(
            same(got, total), "The tokens are not a quarter of the characters", promised=total, characters=len(text)
        )


@exercise("ObservationLedger", rule=["ledger-rows", "cumulative-is-computed"])
def test_late_observation_takes_its_place(learner):
    """The rows come in the order of their turns and add up, also when an observation comes in late."""
    ledger = learner.new("ObservationLedger")
    for tool, turn, text in [("grep", 1, "x" * 40), ("read_file", 3, "x" * 80), ("list_files", 2, "x" * 20)]:
        _ = ledger.call("record", seen(tool, turn, text)).value
    expected = [
        {"turn": 1, "tool": "grep", "tokens": 10, "cumulative": 10},
        {"turn": 2, "tool": "list_files", "tokens": 5, "cumulative": 15},
        {"turn": 3, "tool": "read_file", "tokens": 20, "cumulative": 35},
    ]
    got = ledger.call("rows").value
    drifted = shape(got, [{"cumulative": int}]) and [row["cumulative"] for row in got] == [10, 35, 15]
    if not drifted:
        drifted = shape(got, [{"cumulative": int}]) and [row["cumulative"] for row in got] == [10, 30, 35]
    sentence = "The totals seem to be those of the order of arrival" if drifted else "These are not the rows"
    promise(same(got, expected), sentence, promised=expected)


@exercise("ObservationLedger", rule="ledger-answers")
def test_by_tool_and_by_turn(learner):
    """The ledger answers for a single tool, and knows the highest turn; empty, it answers 0 to all."""
    ledger = learner.new("ObservationLedger")
    for method, args in [("cumulative", ()), ("per_tool", ("grep",)), ("latest_turn", ())]:
        promise(same(ledger.call(method, *args).value, 0), "An empty ledger does not answer 0", promised=0)
    for tool, turn in [("grep", 1), ("read_file", 4), ("grep", 2)]:
        _ = ledger.call("record", seen(tool, turn, "x" * 40)).value
    promise(same(ledger.call("per_tool", "grep").value, 20), "per_tool is not the tool's own sum", promised=20)
    promise(same(ledger.call("latest_turn").value, 4), "latest_turn is not the highest turn", promised=4)


# --- BudgetGate and PerToolBudgetGate -----------------------------------------------------------


@exercise("BudgetGate", rule="budget-reached")
def test_denies_once_reached(learner):
    """Below the ceiling a call is allowed; once the ceiling is reached, exactly or by far, it is denied."""
    gate = learner.new("BudgetGate", 100)
    for tokens in (0, 99, 100, 101, 5000):
        past = [seen("grep", 1, "x" * 4 * tokens)]
        ctx = GateContext(2, past, learner.remote(Books(past)))
        allowed = decide(gate, ToolCall("grep", {}, 2), ctx)
        sentence = "A call below the ceiling is denied" if tokens < 100 else "A call over the ceiling is allowed"
        if tokens == 100:
            sentence = "A budget that has been used up exactly still allows a call"
        promise(allowed is (tokens < 100), sentence, promised="allow" if tokens < 100 else "deny", tokens=tokens)


@exercise("BudgetGate", rule="budget-remaining")
def test_nothing_left_is_zero(learner):
    """What remains is the way to the ceiling, and 0 once that was reached or overshot."""
    gate = learner.new("BudgetGate", 100)
    for tokens, left in [(30, 70), (100, 0), (350, 0)]:
        past = [seen("grep", 1, "x" * 4 * tokens)]
        got = gate.call("remaining", GateContext(2, past, learner.remote(Books(past)))).value
        negative = shape(got, int) and got < 0
        sentence = "What remains goes below zero" if negative else "This is not what remains"
        promise(same(got, left), sentence, promised=left, tokens=tokens)


@exercise("BudgetGate", rule="per-tool-budget")
def test_each_tool_has_its_own_limit(learner):
    """A tool that has reached its limit is denied; other tools, and tools without a limit, are allowed."""
    gate = learner.new("PerToolBudgetGate", {"grep": 50, "read_file": 50})
    past = [seen("grep", 1, "x" * 200), seen("read_file", 2, "x" * 196), seen("list_files", 3, "x" * 4000)]
    ctx = GateContext(4, past, learner.remote(Books(past)))
    for tool, allowed in [("grep", False), ("read_file", True), ("list_files", True)]:
        got = decide(gate, ToolCall(tool, {}, 4), ctx)
        word = "allow" if allowed else "deny"
        sentence = f"{tool} is {'denied' if allowed else 'allowed'}"
        promise(got is allowed, sentence, promised=word, limits={"grep": 50, "read_file": 50})


# --- GateChain and run_loop ---------------------------------------------------------------------


@exercise("GateChain", rule="short-circuit")
def test_first_denial_ends_it(learner):
    """The gates are asked in order, the first denial is the last decision, and nobody behind it is asked."""
    gates = [Gate("first"), Gate("second", ["shell"]), Gate("third", ["shell"])]
    chain = learner.new("GateChain", [learner.remote(gate) for gate in gates])
    got = chain.call("decide", ToolCall("shell", {}, 1), GateContext(1, [], learner.remote(Books()))).value
    promise(gates[2]._asked == [], "Gates behind a denial are still asked")
    names = [said.gate_name for said in got] if shape(got, ["GateDecision"]) else got
    promise(names == ["first", "second"], "These are not the decisions that were made", promised=["first", "second"])
    said = chain.call("evaluate", ToolCall("shell", {}, 2), GateContext(2, [], learner.remote(Books()))).value
    promise(shape(said, "GateDecision") and said.gate_name == "second", "evaluate is not the last decision")


@exercise("GateChain", rule="empty-chain-refused")
def test_empty_chain_cannot_be_built(learner):
    """A chain without gates is refused with ValueError when it is built; one gate makes a chain."""
    refused = learner.call("GateChain", []).raised("ValueError")
    promise(refused, "A chain that asks nobody can be built, and would allow everything", promised="ValueError")
    chain = learner.new("GateChain", [learner.remote(Gate("only"))])
    said = chain.call("evaluate", ToolCall("grep", {}, 1), GateContext(1, [], learner.remote(Books()))).value
    fits = shape(said, "GateDecision") and same(said.allow, True)
    promise(fits, "A chain of one gate, which allows, does not allow", promised="allow")


@exercise("GateChain", rule="fail-closed")
def test_gate_that_raises_denies(learner):
    """A gate that raises has denied: the call is not allowed, and gates behind it are not asked."""
    behind = Gate("behind")
    broken = Gate("broken", error=ZeroDivisionError("no rules"))
    chain = learner.new("GateChain", [learner.remote(broken), learner.remote(behind)])
    outcome = chain.call("evaluate", ToolCall("grep", {}, 1), GateContext(1, [], learner.remote(Books())))
    promise(outcome.error is None, "What a gate raises passes through", promised="a denial")
    fits = shape(outcome.value, "GateDecision") and shape(outcome.value.fields, {"allow": bool, "reason": str})
    promise(fits, NO_DECISION)
    if outcome.value.allow:
        made = chain.call("decide", ToolCall("grep", {}, 1), GateContext(1, [], learner.remote(Books()))).value
        denied = shape(made, ["GateDecision"]) and any(said.allow is False for said in made)
        promise(not denied, "Gates behind a denial are still asked, and the last of them speaks")
    promise(not outcome.value.allow, "A gate that raises counts as one that allows", promised="a denial")
    promise("ZeroDivisionError" in outcome.value.reason, "The reason does not name the exception's type")
    promise(behind._asked == [], "Gates behind a denial are still asked")


@exercise("GateChain", points=2, rule=["three-turn-demo", "loop-flow", "refusal-shown"])
def test_three_turns(learner):
    """Two calls run, the third is refused by a budget; the model is told why, and the run ends with exit code 0."""
    books, read, search = Books(), Tool("x" * 360), Tool("y" * 4000)

    class Budget:
        def evaluate(self, call, ctx):
            return GateDecision(books.cumulative() < 200, "the budget is reached", "Budget")

    calls = [ToolCall("read", {"n": 1}, 1), ToolCall("search", {}, 2), ToolCall("read", {"n": 2}, 3)]
    model = Model(calls)
    chain = learner.new("GateChain", [learner.remote(Budget())])
    tools = {"read": learner.remote(read), "search": learner.remote(search)}
    got = learner.call("run_loop", learner.remote(model), chain, tools, learner.remote(books)).value
    wanted = {"ended": str, "exit_code": int, "refusals": int, "turns": list, "messages": list}
    promise(shape(got, wanted), "The result has not the five keys, or other kinds of values", promised=list(wanted))
    promise(read._ran == [{"n": 1}], "A call that was denied has run", promised=[{"n": 1}])
    promise(books.cumulative() == 1090, "The ledger holds other tokens than those of the two answers", promised=1090)
    ends = (got["ended"], got["refusals"], got["exit_code"])
    promise(ends == ("done", 1, 0), "It ended in another way", promised=("done", 1, 0), ended=ends)
    told = model._told[-1]
    promise(len(model._told) == 4 and len(told) == 3, "The model was not told three things and asked a fourth time")
    refusal = told[2] if shape(told[2], {"role": str, "content": str}) else {"role": "", "content": ""}
    shown = refusal["role"] == "system" and "the budget is reached" in refusal["content"]
    promise(shown, "The refusal is not shown to the model", promised={"role": "system", "content": "... reason ..."})
    outputs = [{"role": "tool", "content": "x" * 360}, {"role": "tool", "content": "y" * 4000}]
    promise(same(told[:2], outputs), "The model was not told what the tools returned")


@exercise("GateChain", rule="refusal-threshold")
def test_stops_at_the_third_refusal(learner):
    """At the third refusal it ends with "refused", whatever was allowed between them, and asks no further."""
    calls = [ToolCall(tool, {}, turn) for turn, tool in enumerate(["no", "no", "ok", "no", "ok", "no"], 1)]
    model = Model(calls)
    chain = learner.new("GateChain", [learner.remote(Gate("strict", ["no"]))])
    tools = {"ok": learner.remote(Tool("fine")), "no": learner.remote(Tool("never"))}
    got = learner.call("run_loop", learner.remote(model), chain, tools, learner.remote(Books())).value
    promise(shape(got, {"ended": str, "refusals": int}), "The result has no ended or no refusals")
    asked = len(model._told)
    sentence = "It stops early" if asked < 4 else "It goes on after the third refusal"
    if asked == 5:
        sentence = "The model is asked once more after the third refusal"
    promise(asked == 4, sentence, promised="asked 4 times", asked=asked)
    promise((got["ended"], got["refusals"]) == ("refused", 3), "It ended in another way", promised=("refused", 3))


# --- WhitelistGate and RegexGate ----------------------------------------------------------------


@exercise("WhitelistGate", rule="whitelist")
def test_only_names_on_the_list(learner):
    """A tool on the list is allowed, every other name is denied; with an empty list, all of them."""
    ctx = GateContext(1, [], learner.remote(Books()))
    gate = learner.new("WhitelistGate", ["read_file", "grep"])
    for tool, allowed in [("read_file", True), ("grep", True), ("shell", False), ("Grep", False), ("read", False)]:
        got = decide(gate, ToolCall(tool, {}, 1), ctx)
        promise(got is allowed, "The list is not taken letter for letter", promised=allowed, tool=tool)
    empty = learner.new("WhitelistGate", [])
    promise(not decide(empty, ToolCall("grep", {}, 1), ctx), "An empty list seems to allow everything", promised=False)


@exercise("WhitelistGate", rule="regex")
def test_patterns_are_found_in_arguments(learner):
    """A pattern that is found anywhere in any argument's value denies the call; the tool's name is not looked at."""
    ctx = GateContext(1, [], learner.remote(Books()))
    gate = learner.new("RegexGate", [r"rm -rf", r"\b10\.\d+"])
    for args, allowed in [
        ({"command": "ls"}, True),
        ({"command": "cd / && rm -rf data"}, False),
        ({"name": "a", "url": "http://10.0.0.8"}, False),
    ]:
        got = decide(gate, ToolCall("rm -rf", args, 1), ctx)
        promise(got is allowed, "The patterns are not looked for in the arguments", promised=allowed, args=args)


# --- visible and RecencyGate --------------------------------------------------------------------


@exercise("RecencyGate", rule="recency-mask")
def test_what_is_still_visible(learner):
    """An observation is visible as long as it is at most `window` turns old, and gone after that."""
    past = [seen("read_file", turn, f"turn {turn}") for turn in (2, 3, 4, 4)]
    for turn, left in [(4, [2, 3, 4, 4]), (6, [3, 4, 4]), (7, [4, 4]), (9, [])]:
        got = learner.call("visible", past, turn, 3).value
        promise(shape(got, ["TextObservation"]), "visible does not return a list of TextObservations")
        promise([each.turn for each in got] == left, "Others are visible", promised=left, turn=turn)


@exercise("RecencyGate", rule=["recency-stale-call", "recency-way-back"])
def test_fresh_call_after_a_gap(learner):
    """A call that was decided on too long ago is denied; a fresh one is allowed, however long nothing was read."""
    gate = learner.new("RecencyGate", 2)
    past = [seen("read_file", 11, "text")]
    for decided_on, allowed in [(20, True), (18, True), (17, False)]:
        ctx = GateContext(20, past, learner.remote(Books(past)))
        got = decide(gate, ToolCall("read_file", {}, decided_on), ctx)
        sentence = "A call that was decided on too long ago is allowed"
        if allowed:
            sentence = "A call inside the window is denied; after a gap there would be no way back"
        promise(got is allowed, sentence, promised="allow" if allowed else "deny", turn=20, decided_on=decided_on)
