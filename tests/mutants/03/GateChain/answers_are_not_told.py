"""The model needs to hear of refusals only; what a tool answered is in the history."""

from course_lib.gates import GateContext, GateDecision, TextObservation, ToolCall


class GateChain:
    def __init__(self, gates):
        if not gates:
            raise ValueError("no gates")
        self.gates = list(gates)

    def decide(self, call, ctx):
        decisions = []
        for gate in self.gates:
            try:
                decision = gate.evaluate(call, ctx)
            except Exception as error:
                decision = GateDecision(False, f"the gate raised {type(error).__name__}", type(gate).__name__)
            decisions.append(decision)
            if not decision.allow:
                break
        return decisions

    def evaluate(self, call, ctx):
        return self.decide(call, ctx)[-1]


def run_loop(model, chain, tools, ledger, *, max_refusals=3):
    history, messages, turns = [], [], []
    refusals, ended = 0, "done"
    while True:
        call = model.next_call(messages)
        if call is None:
            break
        turn = len(turns) + 1
        decisions = chain.decide(call, GateContext(turn, history, ledger))
        turns.append({"turn": turn, "call": call, "decisions": decisions})
        if decisions[-1].allow:
            text = tools[call.tool](call.args)
            observation = TextObservation(call, turn, text)
            ledger.record(observation)
            history.append(observation)
        else:
            refusals += 1
            messages.append({"role": "system", "content": "refused: " + decisions[-1].reason})
            if refusals >= max_refusals:
                ended = "refused"
                break
    return {
        "ended": ended,
        "exit_code": 0,
        "refusals": refusals,
        "turns": turns,
        "messages": messages,
    }


CATCHES = "The model was not told three things and asked a fourth time"
TEST = "test_three_turns"


class Ledger:
    def record(self, observation):
        pass


class Model:
    def __init__(self):
        self.seen = []

    def next_call(self, messages):
        self.seen.append(list(messages))
        return ToolCall("read", {}, len(self.seen)) if len(self.seen) < 3 else None


class Open:
    def __init__(self):
        self.histories = []

    def evaluate(self, call, ctx):
        self.histories.append(list(ctx.history))
        return GateDecision(True, "", "Open")


def witness(mutant, reference):
    told = []
    for chain in (mutant, reference):
        model, gate = Model(), Open()
        chain.__init__.__globals__["run_loop"](model, chain([gate]), {"read": lambda args: "text"}, Ledger())
        told.append((model.seen, gate.histories))
    return told[0] != told[1]
