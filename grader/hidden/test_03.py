"""Notebook 03: what a class bundle may leave out. Ledgers, gates, models and tools stay in the grader."""

from __future__ import annotations

import copy

from course_lib.gates import GateContext, GateDecision, TextObservation, ToolCall
from grader.judge import exercise, promise, same, shape

NO_DECISION = "evaluate does not return a GateDecision"
NOT_THE_RESULT = "The result has not the five keys, or other kinds of values"
TOOLS = ["read_file", "grep", "list_files", "search", "fetch"]


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
    """Denies the calls whose arguments name it, and notes what it is asked about."""

    def __init__(self, name, error=None):
        self._name, self._error, self._asked = name, error, []

    def evaluate(self, call, ctx):
        self._asked.append((call, ctx))
        if self._name not in call.args.get("breaks", []):
            return GateDecision(True, f"{self._name} has nothing against it", self._name)
        if self._error is not None:
            raise self._error
        return GateDecision(False, f"{self._name} is against it", self._name)


class Model:
    """Proposes one call after the other and notes what it is told."""

    def __init__(self, calls):
        self._calls, self._told = list(calls), []

    def next_call(self, messages):
        self._told.append(copy.deepcopy(messages))
        return self._calls[len(self._told) - 1] if len(self._told) <= len(self._calls) else None


class Tool:
    """Returns a text that depends on its arguments, and notes them."""

    def __init__(self, name):
        self._name, self._ran = name, []

    def __call__(self, args):
        self._ran.append(args)
        return f"{self._name} {args['n']} " * args["size"]


def decisions(gate, asked):
    """What the learner's gate says to each (call, ctx), asked in this order."""
    said = [outcome.value for outcome in gate.map("evaluate", asked)]
    wanted = {"allow": bool, "reason": str, "gate_name": str}
    promise(all(shape(d, "GateDecision") and shape(d.fields, wanted) for d in said), NO_DECISION)
    return said


def verdicts(gate, asked):
    """Whether the learner's gate allows each call."""
    return [said.allow for said in decisions(gate, asked)]


def promise_names_and_reasons(gate, asked, name):
    """Calls of which some are allowed and some denied: both answers bear the class's name and a reason."""
    said = decisions(gate, asked)
    promise({d.allow for d in said} == {True, False}, "The gate gives the same answer to every call")
    promise(all(d.gate_name == name for d in said), "gate_name is not the name of the gate's class")
    promise(all(d.reason != "" for d in said), "A decision has no reason")


def history(rng, turns, least=0, most=400):
    """Observations of several turns, some turns with none and some with more than one."""
    past = []
    for turn in range(1, turns + 1):
        for _ in range(rng.choice([0, 1, 1, 2])):
            past.append(seen(rng.choice(TOOLS), turn, "x" * rng.randrange(least, most)))
    return past or [seen(rng.choice(TOOLS), 1, "x" * most)]


def tokens_of(observations):
    return Books(observations).cumulative()


# --- ObservationLedger --------------------------------------------------------------------------


def recorded(learner, observations):
    ledger = learner.new("ObservationLedger")
    _ = [outcome.value for outcome in ledger.map("record", [(each,) for each in observations])]
    return ledger


def misreading(texts, args, got):
    """What a wrong total comes from, if it is one of the usual mistakes."""
    readings = {
        "A text of one to three characters seems to cost a token": sum(max(1, len(t) // 4) if t else 0 for t in texts),
        "Every text seems to cost at least one token": sum(max(1, len(t) // 4) for t in texts),
        "Bytes seem to be counted instead of characters": sum(len(t.encode()) // 4 for t in texts),
        "The text of the call seems to be counted": sum(len(str(a)) // 4 for a in args),
        "The rounding seems to be done over all texts together": len("".join(texts)) // 4,
        "The tokens seem to be rounded up": sum(-(-len(t) // 4) for t in texts),
    }
    if isinstance(got, float):
        return "The tokens are no whole numbers"
    return next((why for why, total in readings.items() if same(got, total)), "The total is not the sum of the texts")


@exercise("ObservationLedger", points=2, rule="token-estimate")
def test_tokens_of_any_text(learner, rng):
    """Whatever the texts and the calls are: a quarter of each text's characters, rounded down."""
    for letters in ("äöü ß é", "abc de", rng.choice(["日本語 です", "naïve Größe"])):
        texts = ["".join(rng.choice(letters) for _ in range(rng.randrange(5, 200) * 4 + 3)) for _ in range(10)]
        texts += ["".join(rng.choice(letters) for _ in range(rng.randrange(1, 4))) for _ in range(4)] + [""]
        rng.shuffle(texts)
        args = [{"pattern": "p" * rng.randrange(30, 300)} for _ in texts]
        ledger = recorded(
            learner, [seen("grep", turn, *both) for turn, both in enumerate(zip(texts, args, strict=True))]
        )
        got, expected = ledger.call("cumulative").value, sum(len(text) // 4 for text in texts)
        if isinstance(got, float):
            promise(False, "The tokens are no whole numbers")
        promise(same(got, expected), misreading(texts, args, got))


@exercise("ObservationLedger", points=2, rule=["ledger-rows", "cumulative-is-computed"])
def test_rows_in_any_order_of_arrival(learner, rng):
    """However the observations come in, the rows stand in the order of turns, and their totals add up."""
    for _ in range(2):
        past = history(rng, rng.randrange(6, 12), least=4)
        rng.shuffle(past)
        while [each.turn for each in past] == sorted(each.turn for each in past):
            past = [*past, seen("grep", 1, "x" * rng.randrange(40, 400))]
        got = recorded(learner, past).call("rows").value
        promise(
            shape(got, [{"turn": int, "tool": str, "tokens": int, "cumulative": int}]), "The rows have another form"
        )
        expected = Books(past).rows()
        promise(len(got) == len(expected), "There is not one row for each observation")
        turns = [row["turn"] for row in got]
        promise(turns == [row["turn"] for row in expected], "The rows do not stand in the order of their turns")
        total = [sum(row["tokens"] for row in got[: at + 1]) for at in range(len(got))]
        sentence = "The totals of the rows do not add up; were they stored when the rows came in?"
        promise([row["cumulative"] for row in got] == total, sentence)
        promise(same(got, expected), "A row has another tool or other tokens than its observation")
    turns = rng.sample(range(5, 40), 4)
    past = [TextObservation(ToolCall("grep", {}, rng.randrange(1, 4)), turn, "x" * 40) for turn in turns]
    got = recorded(learner, past).call("rows").value
    promise(shape(got, [{"turn": int}]), "The rows have another form")
    sentence = "A row bears the turn of the call instead of the observation's own"
    promise([row["turn"] for row in got] == sorted(turns), sentence)
    past = [seen("grep", turn, "x" * size) for turn, size in enumerate((40, rng.randrange(1, 4), 0, 40), 1)]
    got = recorded(learner, past).call("rows").value
    promise(shape(got, list) and len(got) == 4, "A text of fewer than four characters gets no row")
    promise(same(got, Books(past).rows()), "A row has another tool or other tokens than its observation")


@exercise("ObservationLedger", rule="ledger-answers")
def test_tools_are_told_apart(learner, rng):
    """The sum of one tool does not hold that of another whose name begins or ends alike."""
    name = rng.choice(["read", "grep", "list"])
    names = [name, f"{name}_file", f"safe_{name}", name.upper()]
    past = [seen(tool, turn, "x" * 4 * rng.randrange(2, 100)) for turn, tool in enumerate(names * 2, 1)]
    ledger = recorded(learner, past)
    promise(same(ledger.call("cumulative").value, tokens_of(past)), "The total is not the sum of the texts")
    for tool, got in zip(names, ledger.map("per_tool", [(tool,) for tool in names]), strict=True):
        sentence = "Tools with similar names seem to be taken together"
        promise(same(got.value, Books(past).per_tool(tool)), sentence, tool=tool)
    promise(same(ledger.call("per_tool", name[:2]).value, 0), "A part of a tool's name counts as the tool")


@exercise("ObservationLedger", rule="ledger-answers")
def test_latest_is_the_highest(learner, rng):
    """The latest turn is the highest, not the one that was recorded last."""
    turns = rng.sample(range(1, 100), 5)
    turns.sort()
    turns.insert(rng.randrange(3), turns.pop())
    ledger = recorded(learner, [seen("grep", turn, "text") for turn in turns])
    got = ledger.call("latest_turn").value
    sentence = (
        "The turn that was recorded last seems to count as the latest" if got == turns[-1] else "Another turn comes"
    )
    promise(same(got, max(turns)), sentence)


@exercise("ObservationLedger", rule="cumulative-is-computed")
def test_rows_are_the_callers_own(learner, rng):
    """Whoever changes the list of rows, or a row in it, changes nothing in the ledger."""
    past = history(rng, rng.randrange(3, 7), least=40)
    ledger = recorded(learner, past)
    promise(same(ledger.call("rows").value, Books(past).rows()), "These are not the rows")
    ask = learner.lib("operator:methodcaller", "rows")
    rows = learner.lib("operator:call", ask, ledger)
    first = learner.lib("operator:getitem", rows, 0)
    first.call("clear")
    rows.call("clear")
    sentence = "The ledger hands out its own list: changing the rows changes it"
    after = ledger.call("cumulative")
    promise(after.error is None and same(after.returned, tokens_of(past)), sentence)
    again = ledger.call("rows")
    promise(again.error is None and same(again.returned, Books(past).rows()), sentence)


# --- BudgetGate and PerToolBudgetGate -----------------------------------------------------------


def worth(rng, tokens):
    """Observations of several turns and tools that cost so many tokens together."""
    past = []
    while tokens:
        part = min(tokens, rng.randrange(1, 60))
        past.append(seen(rng.choice(TOOLS), len(past) // 2 + 1, "x" * (4 * part + rng.randrange(4))))
        tokens -= part
    return past


def after(learner, past, tool="grep", turn=None, args=None):
    """A call, and the context in which it is judged: these observations, and the ledger that holds them."""
    now = turn or max((each.turn for each in past), default=0) + 1
    return ToolCall(tool, args or {}, now), GateContext(now, past, learner.remote(Books(past)))


BELOW, OVER = "A call below the ceiling is denied", "A call over the ceiling is allowed"
EXACTLY = "A budget that has been used up exactly still allows a call"


@exercise("BudgetGate", points=2, rule="budget-reached")
def test_at_any_ceiling(learner, rng):
    """Whatever the ceiling: allowed right below it, denied right on it and above it."""
    for _ in range(3):
        ceiling = rng.randrange(20, 300)
        gate = learner.new("BudgetGate", ceiling)
        less, far = rng.randrange(ceiling), ceiling * rng.randrange(2, 5)
        read = [less, ceiling - 1, ceiling, ceiling + 1, far]
        got = verdicts(gate, [after(learner, worth(rng, tokens)) for tokens in read])
        promise(got[:2] == [True, True], BELOW)
        promise(got[2] is False, EXACTLY)
        promise(got[3:] == [False, False], OVER)
    asked = [after(learner, worth(rng, ceiling + by)) for by in (-1, 0, 1)]
    promise_names_and_reasons(gate, asked, "BudgetGate")
    got = verdicts(learner.new("BudgetGate", 0), [after(learner, past) for past in ([], worth(rng, ceiling))])
    promise(got == [False, False], "A ceiling of 0 allows a call; it is reached before anything is read")


@exercise("BudgetGate", points=2, rule="budget-whole-run")
def test_all_turns_count(learner, rng):
    """What was read long ago counts as much as what was read last."""
    past = [seen(rng.choice(TOOLS), turn, "x" * rng.randrange(40, 400)) for turn in range(1, rng.randrange(8, 14))]
    gate = learner.new("BudgetGate", tokens_of(past) - rng.randrange(2))
    promise(verdicts(gate, [after(learner, past[:-1])]) == [True], BELOW)
    gaps = (0, 1, rng.randrange(2, 7), rng.randrange(21, 200))
    got = verdicts(gate, [after(learner, past, turn=past[-1].turn + gap) for gap in gaps])
    promise(got == [False] * 4, "Only a part of the turns seems to count")


@exercise("BudgetGate", rule="budget-only-ledger")
def test_call_itself_is_free(learner, rng):
    """A long call is allowed as long as the ledger is below the ceiling."""
    past = history(rng, rng.randrange(2, 6))
    gate = learner.new("BudgetGate", tokens_of(past) + rng.randrange(1, 5))
    long = {"pattern": "p" * rng.randrange(400, 4000)}
    more = [*past, seen("grep", past[-1].turn, "x" * rng.randrange(20, 400))]
    got = verdicts(gate, [after(learner, past, args=long), after(learner, more, args=long)])
    promise(got[0], "The text of the call seems to count as if it had been read")
    promise(not got[1], OVER)


@exercise("BudgetGate", points=2, rule="gate-is-pure")
def test_the_ledger_of_the_moment_decides(learner, rng):
    """The gate answers by the ledger that it is given, whatever it was asked before."""
    ceiling = rng.randrange(100, 1000)
    full, room = worth(rng, ceiling + rng.randrange(50)), worth(rng, ceiling - 1)
    late = "A full ledger is noticed one call too late"
    promise(verdicts(learner.new("BudgetGate", ceiling), [after(learner, full)]) == [False], late)
    gate, refused = learner.new("BudgetGate", ceiling), rng.randrange(3, 6)
    got = verdicts(gate, [after(learner, past) for past in (room, *[full] * refused, room)])
    promise(got[0], BELOW)
    promise(not any(got[1:-1]), late)
    promise(got[-1], "Calls that were refused seem to count, or a denial seems to be remembered")
    call, ledgers = ToolCall("grep", {}, 2), (learner.remote(Books(full)), learner.remote(Books()))
    pairs = zip(([], full), ledgers, strict=True)
    got = verdicts(gate, [(call, GateContext(2, past, ledger)) for past, ledger in pairs])
    promise(got == [False, True], "The history seems to be counted instead of the ledger")


@exercise("BudgetGate", points=2, rule="per-tool-budget")
def test_limits_of_single_tools(learner, rng):
    """Each tool is held to its own limit by its own tokens, at the limit exactly; without a limit it may go on."""
    for _ in range(2):
        past = history(rng, rng.randrange(5, 10), least=8)
        past += [seen(tool, 11, "x" * rng.randrange(8, 400)) for tool in TOOLS]
        used = {tool: Books(past).per_tool(tool) for tool in TOOLS}
        reached, below, over, free, other = rng.sample(TOOLS, 5)
        limits = {reached: used[reached], below: used[below] + 1, over: used[over] - 1, other: 10**6}
        gate = learner.new("PerToolBudgetGate", limits)
        asked = [after(learner, past, tool) for tool in (free, below, reached, over)]
        got = verdicts(gate, asked)
        promise(got[0], "A tool without a limit is denied")
        promise(got[1], "The tokens of other tools seem to count as well")
        promise(not got[2], "A limit that has been used up exactly still allows a call")
        promise(not got[3], "A call over its tool's limit is allowed")
    got = verdicts(learner.new("PerToolBudgetGate", {free: 0}), [after(learner, past, free), after(learner, [], free)])
    promise(got == [False, False], "A limit of 0 seems to be taken for no limit")
    promise_names_and_reasons(gate, asked, "PerToolBudgetGate")


@exercise("BudgetGate", rule="budget-remaining")
def test_remaining_never_below_zero(learner, rng):
    """What remains is exact before the ceiling, and 0 however far it was overshot."""
    ceiling = rng.randrange(100, 1000)
    read = [rng.randrange(ceiling), ceiling, ceiling + rng.randrange(1, 1000)]
    asked = [after(learner, worth(rng, tokens))[1:] for tokens in read]
    got = [outcome.value for outcome in learner.new("BudgetGate", ceiling).map("remaining", asked)]
    promise(not any(shape(left, int) and left < 0 for left in got), "What remains goes below zero")
    promise(same(got, [max(0, ceiling - tokens) for tokens in read]), "This is not what remains")


# --- GateChain ----------------------------------------------------------------------------------


def a_chain(learner, rng, size=None, **gate_options):
    """The gates of a new chain, in its order, and the chain."""
    names = [f"gate-{number}" for number in rng.sample(range(100), size or rng.randrange(3, 7))]
    gates = [Gate(name, **gate_options) for name in names]
    return gates, learner.new("GateChain", [learner.remote(gate) for gate in gates])


def call_that_breaks(gates, turn=1, **args):
    return ToolCall("any", {"breaks": [gate._name for gate in gates], **args}, turn)


@exercise("GateChain", points=2, rule="first-denial-speaks")
def test_first_denial_speaks(learner, rng):
    """A call that breaks several rules is answered by the gate that stands first among them."""
    for _ in range(3):
        gates, chain = a_chain(learner, rng, 5)
        first, *others = sorted(rng.sample(range(5), 3))
        breaking = [gates[at] for at in rng.sample([first, *others], 3)]
        said = chain.call("evaluate", call_that_breaks(breaking), GateContext(1, [], learner.remote(Books()))).value
        promise(shape(said, "GateDecision"), NO_DECISION)
        promise(same(said.allow, False), "A call that a gate denies is allowed")
        sentence = "Another gate speaks than the first that denies"
        if said.gate_name == gates[others[-1]]._name:
            sentence = "The last denial seems to speak instead of the first"
        promise(said.gate_name == gates[first]._name, sentence)
        promise(said.reason == f"{gates[first]._name} is against it", "The reason is not the gate's own")


@exercise("GateChain", rule="decisions-on-record")
def test_allowing_is_on_record(learner, rng):
    """When all gates allow, the record holds what each of them said, in their order."""
    gates, chain = a_chain(learner, rng)
    ctx = GateContext(1, [], learner.remote(Books()))
    got = chain.call("decide", call_that_breaks([]), ctx).value
    promise(shape(got, ["GateDecision"]), "decide does not return a list of GateDecisions")
    promise(len(got) == len(gates), "The decisions are dropped when the call is allowed")
    promise([said.gate_name for said in got] == [gate._name for gate in gates], "The decisions come in another order")
    promise(all(same(said.allow, True) for said in got), "A call that no gate denies is denied")
    said = chain.call("evaluate", call_that_breaks([]), ctx).value
    promise(shape(said, "GateDecision") and same(said.allow, True), "A call that no gate denies is denied")


@exercise("GateChain", points=2, rule="fail-closed")
def test_broken_gate_denies_anywhere(learner, rng):
    """Whatever a gate raises, and wherever it stands: the call is denied, and the gates behind it are not asked."""
    common = [KeyError, ValueError, TypeError, RuntimeError, AttributeError]
    rare = [BufferError, EOFError, ReferenceError, AssertionError]
    for kind in (*rng.sample(common, 2), *rng.sample(rare, 2)):
        gates = [Gate(f"gate-{number}", kind("x")) for number in range(rng.randrange(2, 6))]
        chain = learner.new("GateChain", [learner.remote(gate) for gate in gates])
        at = rng.randrange(len(gates))
        call, ctx = call_that_breaks([gates[at]]), GateContext(1, [], learner.remote(Books()))
        outcome = chain.call("decide", call, ctx)
        sentence = "What a gate raises passes through"
        if kind in rare:
            sentence = "Exceptions of some types pass through; whatever a gate raises, it has denied"
        promise(outcome.error is None, sentence)
        got = outcome.value
        promise(shape(got, ["GateDecision"]) and len(got) > 0, "decide does not return a list of GateDecisions")
        open_ = "A gate that raises counts as one that allows"
        behind = any(gate._asked for gate in gates[at + 1 :])
        denied = any(said.allow is False for said in got)
        promise(not (denied and behind), "Gates behind a denial are still asked")
        promise(same(got[-1].allow, False), open_)
        promise(len(got) == at + 1, "The broken gate's denial is not on record")
        named = shape(got[-1].reason, str) and kind.__name__ in got[-1].reason
        promise(named, "The reason does not name the exception's type")


@exercise("GateChain", rule=["fail-closed", "decisions-on-record"])
def test_broken_gate_is_on_record_by_its_class(learner, rng):
    """The denial of a gate that raised bears the name of that gate's class."""
    # A gate of the learner's process, so that its class has a name there. What it calls raises a KeyError.
    raising = learner.lib("operator:call", learner.lib("operator:attrgetter", "format"), "{rules}")
    broken = learner.lib("types:SimpleNamespace", evaluate=raising)
    gates = [Gate(f"gate-{number}") for number in range(rng.randrange(3))]
    chain = learner.new("GateChain", [*map(learner.remote, gates), broken])
    call = ToolCall("any", {"n": rng.randrange(1000)}, 1)
    got = chain.call("decide", call, GateContext(1, [], learner.remote(Books()))).value
    promise(shape(got, ["GateDecision"]) and len(got) == len(gates) + 1, "The broken gate's denial is not on record")
    promise(same(got[-1].allow, False), "A gate that raises counts as one that allows")
    promise(got[-1].gate_name == "SimpleNamespace", "gate_name of a gate that raised is not the name of its class")


# --- run_loop -----------------------------------------------------------------------------------


class Loop:
    """One run of the learner's loop, with everything around it kept in the grader."""

    def __init__(self, learner, rng, plan, max_refusals=None, gates=1):
        """`plan` says of each call whether it is allowed; the model is done after the last."""
        self.gates, chain = a_chain(learner, rng, gates)
        self.tools = {name: Tool(name) for name in TOOLS}
        self.books, self.calls = Books(), []
        for turn, allowed in enumerate(plan, 1):
            against = [] if allowed else [rng.choice(self.gates)]
            args = {"breaks": [g._name for g in against], "n": rng.randrange(10**6), "size": rng.randrange(1, 20)}
            self.calls.append(ToolCall(rng.choice(TOOLS), args, turn))
        self.model = Model(self.calls)
        tools = {name: learner.remote(tool) for name, tool in self.tools.items()}
        self.plan = plan
        most = {} if max_refusals is None else {"max_refusals": max_refusals}
        given = (learner.remote(self.model), chain, tools, learner.remote(self.books))
        self.result = learner.call("run_loop", *given, **most).value
        wanted = {"ended": str, "exit_code": int, "refusals": int, "turns": list, "messages": list}
        promise(shape(self.result, wanted), NOT_THE_RESULT)

    def text(self, turn):
        """What the tool of this turn's call returns."""
        call = self.calls[turn - 1]
        return f"{call.tool} {call.args['n']} " * call.args["size"]

    def allowed(self, until=None):
        return [turn for turn, allowed in enumerate(self.plan[:until], 1) if allowed]

    def ran(self):
        return sorted((name, args["n"]) for name, tool in self.tools.items() for args in tool._ran)

    def should_run(self, until=None):
        return sorted((c.tool, c.args["n"]) for c in (self.calls[t - 1] for t in self.allowed(until)))


def plan_of(rng, allowed, denied):
    plan = [True] * allowed + [False] * denied
    rng.shuffle(plan)
    return plan


@exercise("GateChain", points=2, rule="clean-refusal")
def test_how_a_run_ends(learner, rng):
    """It says how it ended and how many calls were denied; the exit code is 0 at either end."""
    for plan, ended in [
        (plan_of(rng, rng.randrange(2, 5), rng.randrange(1, 3)), "done"),
        ([*plan_of(rng, rng.randrange(1, 4), 2), False, True], "refused"),
        ([True] * rng.randrange(1, 3), "done"),
    ]:
        got = Loop(learner, rng, plan).result
        promise(got["ended"] == ended, "ended says something else than what happened")
        promise(same(got["exit_code"], 0), "A clean refusal seems to count as a crash")
        denied = plan[: len(plan) - (ended == "refused")].count(False)
        promise(same(got["refusals"], denied), "refusals is not the number of denied calls")


@exercise("GateChain", points=2, rule="decisions-on-record")
def test_the_record_of_a_run(learner, rng):
    """Every turn is on record, with its call and every decision that was made on it."""
    for plan in (plan_of(rng, rng.randrange(2, 4), 2), [*plan_of(rng, rng.randrange(1, 3), 2), False]):
        loop = Loop(learner, rng, plan, gates=3)
        turns = loop.result["turns"]
        promise(shape(turns, [{"turn": int, "call": "ToolCall", "decisions": ["GateDecision"]}]), NOT_THE_RESULT)
        promise([entry["turn"] for entry in turns] == list(range(1, len(plan) + 1)), "Not every turn is on record")
        for turn, entry in enumerate(turns, 1):
            promise(
                same(entry["call"].fields["args"], loop.calls[turn - 1].args), "A turn is on record with another call"
            )
            names = [gate._name for gate in loop.gates]
            if not plan[turn - 1]:
                names = names[: names.index(loop.calls[turn - 1].args["breaks"][0]) + 1]
            made = [said.gate_name for said in entry["decisions"]]
            promise(made == names, "A turn is on record without some of its decisions")


@exercise("GateChain", rule="refusal-shown")
def test_messages_say_what_happened(learner, rng):
    """There is one message a turn: what the tool returned, or that the call was refused, and why."""
    plan = plan_of(rng, rng.randrange(3, 6), 2)
    loop = Loop(learner, rng, plan)
    promise(set(loop.should_run()) >= set(loop.ran()), "A call that was denied has run")
    messages = loop.result["messages"]
    promise(shape(messages, [{"role": str, "content": str}]), "A message has not the form that was promised")
    promise(len(messages) == len(plan), "There is not one message for each turn")
    for turn, message in enumerate(messages, 1):
        if plan[turn - 1]:
            expected = {"role": "tool", "content": loop.text(turn)}
            promise(same(message, expected), "The message says something else than the tool returned")
            continue
        reason = f"{loop.calls[turn - 1].args['breaks'][0]} is against it"
        promise(message["role"] == "system", "A refusal is told in another role than the system's")
        promise(reason in message["content"], "The reason of a refusal is not told")


@exercise("GateChain", points=2, rule="short-circuit")
def test_nobody_is_asked_after_a_denial(learner, rng):
    """In any chain, gates behind the first denial are not asked, and those before it once."""
    for method in ("decide", "evaluate"):
        for _ in range(2):
            gates, chain = a_chain(learner, rng)
            at = rng.randrange(len(gates) - 1)
            ctx = GateContext(1, [], learner.remote(Books()))
            _ = chain.call(method, call_that_breaks([gates[at]]), ctx).value
            numbers = [len(gate._asked) for gate in gates]
            promise(not any(numbers[at + 1 :]), "Gates behind a denial are still asked")
            promise(
                numbers[: at + 1] == [1] * (at + 1), "A gate up to the denial is asked more than once, or not at all"
            )


@exercise("GateChain", points=3, rule=["loop-flow", "denied-never-runs"])
def test_denied_calls_leave_nothing(learner, rng):
    """A denied call does not run and has no row in the ledger; an allowed one runs once and has one."""
    loop = Loop(learner, rng, plan_of(rng, rng.randrange(3, 7), 2))
    promise(set(loop.should_run()) >= set(loop.ran()), "A call that was denied has run")
    promise(loop.ran() == loop.should_run(), "An allowed call has not run, or more than once")
    entered = loop.books._observations
    promise(all(shape(each, "TextObservation") for each in entered), "Something else is recorded than TextObservations")
    sentence = "Refusals seem to have rows in the ledger" if len(entered) > len(loop.allowed()) else "A row is missing"
    promise(len(entered) == len(loop.allowed()), sentence)
    texts = [each.text for each in entered]
    promise(
        texts == [loop.text(turn) for turn in loop.allowed()], "The ledger gets other texts than the tools returned"
    )


@exercise("GateChain", points=2, rule="refusal-shown")
def test_model_hears_of_everything(learner, rng):
    """Before each proposal the model has been told what every turn so far came to, refusals included."""
    plan = plan_of(rng, rng.randrange(3, 6), 2)
    loop = Loop(learner, rng, plan)
    promise(len(loop.model._told) == len(plan) + 1, "The model is not asked once for each turn")
    for turns, told in enumerate(loop.model._told):
        promise(shape(told, [{"role": str, "content": str}]), "A message has not the form that was promised")
        promise(len(told) <= turns, "The model is told more than one thing a turn")
        promise(len(told) == turns, "The model is not told of a refusal, or not before its next proposal")
        promise(same(told, loop.result["messages"][:turns]), "messages is not what the model was told")


@exercise("GateChain", points=3, rule="refusal-threshold")
def test_refusals_are_counted_over_the_run(learner, rng):
    """It stops at the refusal that reaches the threshold, counted over the whole run; the model is asked no more."""
    for most in (None, rng.randrange(1, 3), rng.randrange(4, 6)):
        limit = most or 3
        plan = [False]
        while plan.count(False) < limit + 3:
            plan += [True, False]
        plan.insert(rng.randrange(2), True)
        last = [turn for turn, allowed in enumerate(plan, 1) if not allowed][limit - 1]
        loop = Loop(learner, rng, plan, most)
        promise(set(loop.should_run()) >= set(loop.ran()), "A call that was denied has run")
        turns = len(loop.model._told)
        once_more = turns == last + 1 and len(loop.result["turns"]) == last
        promise(not once_more, "The model is asked once more after the refusal that ends the run")
        reset = "Refusals seem to be forgotten after an allowed call"
        promise(turns != len(plan) + 1, reset)
        promise(turns <= last, "It goes on after the refusal that reaches the threshold")
        promise(turns == last, "It ends before the threshold is reached")
        promise(loop.result["ended"] == "refused", "It does not say that it ended because of refusals")
        promise(same(loop.result["refusals"], limit), "refusals is not the number of denied calls")
        promise(len(loop.result["messages"]) == last, "The last refusal is not among the messages")
        promise(loop.ran() == loop.should_run(last), "Other calls have run than those that were allowed")


@exercise("GateChain", points=2, rule=["gate-context", "loop-flow"])
def test_gates_see_turn_and_history(learner, rng):
    """The gates are given the loop's own turn, the observations so far, and the ledger that was handed over."""
    plan = plan_of(rng, rng.randrange(3, 6), 2)
    loop = Loop(learner, rng, plan)
    asked_first = loop.gates[0]._asked
    promise(len(asked_first) == len(plan), "The chain is not asked exactly once in each turn")
    for turn, (_, ctx) in enumerate(asked_first, 1):
        promise(shape(ctx, "GateContext"), "The gates are given something else than a GateContext")
        promise(same(ctx.turn, turn), "The turn that the gates see is not the number of the proposal")
        promise(ctx.ledger is loop.books, "The gates are given another ledger")
        past = ctx.history
        promise(isinstance(past, list | tuple), "The history is no list")
        expected = [(before, loop.text(before)) for before in loop.allowed(turn - 1)]
        got = [(each.turn, each.text) if shape(each, "TextObservation") else each for each in past]
        promise(same(got, expected), "The history is not what has been observed so far")


@exercise("GateChain", rule="loop-flow")
def test_errors_outside_the_gates_pass_through(learner, rng):
    """What a tool or the model raises comes out of the loop; only a gate's exception is a denial."""

    class Raising:
        def __call__(self, args):
            raise RuntimeError("the tool broke down")

        def next_call(self, messages):
            raise RuntimeError("the model broke down")

    broken, books = learner.remote(Raising()), learner.remote(Books())
    calls = [ToolCall("grep", {"breaks": []}, turn) for turn in range(1, rng.randrange(2, 5))]
    for who, model in [("a tool", learner.remote(Model(calls))), ("the model", broken)]:
        _, chain = a_chain(learner, rng, 1)
        outcome = learner.call("run_loop", model, chain, {"grep": broken}, books)
        promise(outcome.raised("RuntimeError"), f"An exception of {who} does not come out of the loop")


@exercise("GateChain", points=2, rule=["late-call-turn", "gate-context"])
def test_turns_are_the_loops_own(learner, rng):
    """Gates and observations get the turn that the loop has come to, also when a call was decided on earlier."""
    call = {"breaks": [], "n": rng.randrange(1000), "size": 3}
    calls = [ToolCall(rng.choice(TOOLS), {**call, "n": n}, rng.randrange(1, 3)) for n in range(rng.randrange(4, 7))]
    gates, chain = a_chain(learner, rng, 1)
    books = Books()
    tools = {name: learner.remote(Tool(name)) for name in TOOLS}
    got = learner.call("run_loop", learner.remote(Model(calls)), chain, tools, learner.remote(books)).value
    promise(shape(got, {"turns": [{"turn": int}]}), NOT_THE_RESULT)
    numbers = list(range(1, len(calls) + 1))
    promise([each["turn"] for each in got["turns"]] == numbers, "The turns of the record are not those of the loop")
    contexts = [ctx for _, ctx in gates[0]._asked]
    told = all(shape(ctx, "GateContext") for ctx in contexts) and [ctx.turn for ctx in contexts] == numbers
    promise(told, "The gates are told the turn of the call instead of the loop's")
    sentence = "An observation bears the turn of its call instead of the loop's"
    promise([each.turn for each in books._observations] == numbers, sentence)


# --- WhitelistGate and RegexGate ----------------------------------------------------------------


def allows(learner, gate, calls):
    """Whether the learner's gate allows each of these calls, in the same empty context."""
    ctx = GateContext(1, [], learner.remote(Books()))
    return verdicts(gate, [(call, ctx) for call in calls])


@exercise("WhitelistGate", points=2, rule="whitelist")
def test_names_letter_for_letter(learner, rng):
    """Only the very names of the list are allowed: no longer, no shorter, no other case."""
    allowed = [f"{rng.choice(['read', 'list', 'find'])}_{rng.choice(['file', 'note'])}{n}" for n in range(3)]
    gate = learner.new("WhitelistGate", allowed)
    calls = [ToolCall(name, {}, 1) for name in allowed]
    promise(allows(learner, gate, calls) == [True] * 3, "A tool on the list is denied")
    name = rng.choice(allowed)
    others = [
        (f"{name}_x", "A name seems to be allowed because it begins like one of the list"),
        (name[:-1], "A part of a name on the list is allowed"),
        (f"x_{name}", "A part of a name on the list is allowed"),
        (name.title(), "The case of the letters is not taken into account"),
        (name.upper(), "The case of the letters is not taken into account"),
        (f"tool{rng.randrange(1000)}", "A tool that is not on the list is allowed"),
    ]
    got = allows(learner, gate, [ToolCall(other, {"tool": name}, 1) for other, _ in others])
    for allow, (_, sentence) in zip(got, others, strict=True):
        promise(not allow, sentence)
    ctx = GateContext(1, [], learner.remote(Books()))
    promise_names_and_reasons(gate, [(calls[0], ctx), (ToolCall("shell", {}, 1), ctx)], "WhitelistGate")


@exercise("WhitelistGate", rule="whitelist")
def test_empty_list_denies_all(learner, rng):
    """A whitelist without names allows nothing."""
    calls = [ToolCall(rng.choice(["", *TOOLS]), {}, 1) for _ in range(4)]
    got = allows(learner, learner.new("WhitelistGate", []), calls)
    promise(got == [False] * 4, "An empty list seems to allow everything")
    got = allows(learner, learner.new("WhitelistGate", [call.tool for call in calls]), calls)
    promise(got == [True] * 4, "A tool on the list is denied")


@exercise("WhitelistGate", rule=["whitelist", "regex"])
def test_names_and_patterns_from_an_iterator(learner, rng):
    """Names, or patterns, that can be gone through only once are known at every call, not at the first alone."""
    names = rng.sample(TOOLS, 3)
    gate = learner.new("WhitelistGate", learner.lib("builtins:iter", names))
    calls = [ToolCall(tool, {}, 1) for tool in (*reversed(names), "shell", *names)]
    got = allows(learner, gate, calls)
    promise(got == [True] * 3 + [False] + [True] * 3, "The names seem to be used up by the first calls")
    gate = learner.new("RegexGate", learner.lib("builtins:iter", names))
    calls = [ToolCall("any", {"text": f"{word} {rng.randrange(100)}"}, 1) for word in (*names, "clean", *names)]
    got = allows(learner, gate, calls)
    promise(got == [False] * 3 + [True] + [False] * 3, "The patterns seem to be used up by the first calls")


def words_of(rng, number):
    return rng.sample(["alpha", "beta", "gamma", "delta", "omega"], number)


@exercise("WhitelistGate", points=2, rule="regex")
def test_any_pattern_in_any_argument(learner, rng):
    """One of several patterns in one of several arguments is enough, wherever it stands in the value."""
    words = words_of(rng, 3)
    gate = learner.new("RegexGate", [rf"{word}-\d+" for word in words])
    clean = {f"arg{n}": f"text {n}" for n in range(3)}
    promise(allows(learner, gate, [ToolCall("any", clean, 1)]) == [True], "A call without any pattern is denied")
    places, bad = [(word, at) for word in words for at in range(3)], rng.randrange(100)

    def denied(value, where=places):
        calls = [ToolCall("any", {**clean, f"arg{at}": value(f"{word}-{bad}")}, 1) for word, at in where]
        return [not allow for allow in allows(learner, gate, calls)]

    promise(any(denied(str)), "One pattern alone is not enough")
    first = denied(str, places[::3])
    promise(all(first), "One of the patterns, as the whole of the first argument, is not found")
    promise(all(denied(str)), "Only the first argument seems to be looked at")
    promise(all(denied("{} and more".format)), "A pattern seems to have to fit the whole value")
    for form in ("some {}", "x{}y", "two\nlines {}"):
        promise(all(denied(form.format)), "A pattern seems to be found only at the beginning of a value")
    in_a_list = all(denied(lambda text: ["list", text]))
    promise(in_a_list, "A value that is no text is not looked at; it counts as str(value)")


@exercise("WhitelistGate", rule="regex")
def test_patterns_as_they_are(learner, rng):
    """Each pattern counts by itself, with the flags written into it and no others; without a pattern all may run."""
    one, other, third = words_of(rng, 3)

    def allowed(patterns, texts):
        return allows(learner, learner.new("RegexGate", patterns), [ToolCall("any", {"text": t}, 1) for t in texts])

    apart = [rf"({one}|{other})!", r"\b(\w+) \1\b"]
    promise(allowed(apart, [f"{one}!", f"{other}!"]) == [False] * 2, "One pattern alone is not enough")
    promise(allowed(apart, [f"{third} {third}"]) == [False], "The patterns seem to be joined into one")
    plain = [one, rf"^{other}", rf"{third}.end"]
    got = allowed(plain, [f"to {one}", f"{other} it", f"{third} end"])
    promise(got == [False] * 3, "A pattern is not found in a text that it fits")
    got = allowed(plain, [one.upper(), f"first\n{other}", f"{third}\nend"])
    promise(got == [True] * 3, "A pattern seems to be looked for with a flag that is not written into it")
    promise(allowed([f"(?i){one}"], [one.upper()]) == [False], "A flag that is written into a pattern has no effect")
    promise(allowed([], [one, ""]) == [True] * 2, "Without a single pattern a call is denied")


@exercise("WhitelistGate", rule="regex")
def test_only_the_values_are_searched(learner, rng):
    """The tool's name and the arguments' names are not looked at."""
    word = rng.choice(["shell", "secret", "delete"])
    gate = learner.new("RegexGate", [word])
    calls = [
        ToolCall(word, {"path": "notes"}, 1),
        ToolCall("read", {word: "notes"}, 1),
        ToolCall("read", {"path": f"{word} it"}, 1),
    ]
    by_tool, by_name, by_value = allows(learner, gate, calls)
    promise(by_tool, "The tool's name seems to be searched instead of the arguments, or as well")
    promise(by_name, "The names of the arguments seem to be searched")
    promise(not by_value, "The tool's name seems to be searched instead of the arguments, or as well")
    ctx = GateContext(1, [], learner.remote(Books()))
    promise_names_and_reasons(gate, [(call, ctx) for call in calls], "RegexGate")


@exercise("WhitelistGate", rule="regex")
def test_arguments_are_no_patterns(learner, rng):
    """What stands in an argument is text: brackets and dots in it mean nothing, and match nothing."""
    gate = learner.new("RegexGate", [r"rm -rf"])
    odd = rng.choice(["a(b", "[", "*x", "(?P<"])
    call, ctx = ToolCall("grep", {"pattern": odd}, 1), GateContext(1, [], learner.remote(Books()))
    sentence = "An argument's value seems to be taken for a pattern"
    outcome = gate.call("evaluate", call, ctx)
    promise(outcome.error is None, sentence)
    got = allows(learner, gate, [ToolCall("grep", {"pattern": value}, 1) for value in (".", "rm", "", odd)])
    promise(got == [True] * 4, sentence)
    got = allows(learner, gate, [ToolCall("grep", {"pattern": f"{odd} rm -rf {odd}"}, 1)])
    promise(got == [False], "A pattern is not found beside brackets and dots")


# --- visible and RecencyGate --------------------------------------------------------------------


def left_over(learner, past, turn, window):
    got = learner.call("visible", past, turn, window).value
    promise(shape(got, ["TextObservation"]), "visible does not return a list of TextObservations")
    return got


@exercise("RecencyGate", points=2, rule="recency-mask")
def test_window_of_turns(learner, rng):
    """Exactly the window is still visible, one turn more is not, for any tool and any number of observations."""
    for window in (rng.randrange(1, 5), rng.randrange(1, 5), 0):
        turn = rng.randrange(20, 40)
        # More fresh observations than the window has turns: counting the one is then never counting the other.
        ages = [0, 0, 0, 0, max(0, window - 1), window, window, window + 1, window + 1, window + 5, 19]
        past = [seen(rng.choice(TOOLS), turn - age, f"{n} " * 9) for n, age in enumerate(sorted(ages, reverse=True))]
        got = left_over(learner, past, turn, window)
        inside = [each for each in past if turn - each.turn <= window]
        texts, expected = [each.text for each in got], [each.text for each in inside]
        sentence = "Other observations are visible than those inside the window"
        if not any(each.turn == turn for each in got):
            sentence = "The newest observations seem to be hidden"
        elif window and texts == [each.text for each in past[-window:]]:
            sentence = "The window seems to be counted in observations, not in turns"
        elif texts == [each.text for each in inside if turn - each.turn < window]:
            sentence = "An observation exactly as old as the window is hidden"
        promise(texts == expected, sentence)


@exercise("RecencyGate", rule="recency-mask")
def test_observations_that_came_in_late(learner, rng):
    """Observations in any order of their turns: each is measured by its own turn, and the order stays."""
    turn, window = rng.randrange(20, 40), rng.randrange(1, 5)
    ages = [0, window + 1, window, window + rng.randrange(2, 6), 0, window]
    past = [seen(rng.choice(TOOLS), turn - age, f"{n} " * 9) for n, age in enumerate(ages)]
    texts = [each.text for each in left_over(learner, past, turn, window)]
    expected = [each.text for each, age in zip(past, ages, strict=True) if age <= window]
    promise(set(texts) <= set(expected), "An old observation that stands behind a fresh one is visible")
    promise(sorted(texts) == sorted(expected), "A fresh observation that stands behind or before an old one is hidden")
    promise(texts == expected, "The visible observations come in another order")
    waited = [TextObservation(ToolCall("grep", {}, 1), turn, "a slow tool's")]
    sentence = "An observation seems to be as old as its call; its own turn counts"
    promise(len(left_over(learner, waited, turn, window)) == 1, sentence)


@exercise("RecencyGate", points=2, rule=["recency-mask", "masked-costs-nothing"])
def test_hidden_means_gone(learner, rng):
    """Older observations are gone from the result, of every tool; the given list stays as it was."""
    turn, window = rng.randrange(20, 40), rng.randrange(1, 5)
    tools = rng.sample(TOOLS, 3)
    past = [seen(tools[n % 3], n, "x" * rng.randrange(40, 400)) for n in range(1, turn + 1)]
    outcome = learner.call("visible", past, turn, window)
    got = outcome.value
    promise(shape(got, ["TextObservation"]), "visible does not return a list of TextObservations")
    inside = past[-window - 1 :]
    sentence = "Hidden observations are still there, with a text that costs what the old one cost"
    promise(len(got) != len(past), sentence)
    old = [each for each in got if turn - each.turn > window]
    promise(old == [], "Old observations of some tools are still visible")
    promise(
        [each.turn for each in got] == [each.turn for each in inside], "Other observations are visible, or in disorder"
    )
    kept = [each.fields["text"] for each in got] == [each.text for each in inside]
    promise(kept, "A visible observation has another text")
    untouched = shape(outcome.args_after[0], ["TextObservation"]) and len(outcome.args_after[0]) == len(past)
    promise(untouched, "The list that was given has been changed")


@exercise("RecencyGate", rule="recency-mask")
def test_nothing_recent(learner, rng):
    """After a gap nothing is visible, however few observations there were."""
    past = [seen(rng.choice(TOOLS), turn, "text") for turn in range(1, rng.randrange(2, 4))]
    window = rng.randrange(3, 6)
    turn = past[-1].turn + window + rng.randrange(1, 5)
    promise(left_over(learner, past, turn, window) == [], "An observation outside the window is visible after a gap")
    promise(left_over(learner, [], turn, window) == [], "Something is visible where there is nothing")
    fresh = left_over(learner, past, past[-1].turn, window)
    promise(len(fresh) == len(past), "Observations inside the window are hidden when there are few")


@exercise("RecencyGate", points=2, rule="recency-stale-call")
def test_stale_calls(learner, rng):
    """A call waits at most the window: denied one turn later, whatever was read meanwhile."""
    window = rng.randrange(0, 6)
    gate = learner.new("RecencyGate", window)
    for now in rng.sample(range(10, 60), 3):
        past = [seen("grep", turn, "text") for turn in range(1, now)]
        ctx = GateContext(now, past, learner.remote(Books(past)))
        asked = [(ToolCall("grep", {}, now - waited), ctx) for waited in range(window + 4)]
        got = verdicts(gate, asked)
        promise(all(got[:window]), "A call inside the window is denied")
        promise(got[window], "A call exactly as old as the window is denied")
        promise(not any(got[window + 1 :]), "A call outside the window is allowed")
    promise_names_and_reasons(gate, asked, "RecencyGate")


@exercise("RecencyGate", points=2, rule="recency-way-back")
def test_there_is_a_way_back(learner, rng):
    """A call of the present turn is allowed after any gap, with any past, and with none."""
    window = rng.randrange(0, 6)
    gate, stale = learner.new("RecencyGate", window), []
    for gap in (window + 1, rng.randrange(10, 50), rng.randrange(100, 1000)):
        past = history(rng, rng.randrange(2, 5))
        now = past[-1].turn + gap
        contexts = [GateContext(now, before, learner.remote(Books(before))) for before in (past, [])]
        got = verdicts(gate, [(ToolCall(rng.choice(TOOLS), {}, now), ctx) for ctx in contexts])
        promise(all(got), "After a gap every call is denied, and so is the read that would end the gap")
        stale += [(ToolCall("grep", {}, now - window - 1), ctx) for ctx in contexts]
    promise(not any(verdicts(gate, stale)), "A call outside the window is allowed")
