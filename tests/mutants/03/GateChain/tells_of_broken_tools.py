"""A tool that breaks down is told to the model like any other answer."""

from course_lib.gates import GateContext, GateDecision, TextObservation


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
            try:
                text = tools[call.tool](call.args)
            except Exception as error:
                text = f"error: {error}"
            observation = TextObservation(call, turn, text)
            ledger.record(observation)
            history.append(observation)
            messages.append({"role": "tool", "content": text})
        else:
            refusals += 1
            messages.append({"role": "system", "content": "refused: " + decisions[-1].reason})
            if refusals >= max_refusals:
                ended = "refused"
                break
    return {"ended": ended, "exit_code": 0, "refusals": refusals, "turns": turns, "messages": messages}


CATCHES = "An exception of a tool does not come out of the loop"
TEST = "test_errors_outside_the_gates_pass_through"


from course_lib.gates import GateContext, GateDecision, ScriptedModel, ToolCall


class Gate:
    def __init__(self, name, denies="", raises=False):
        self.name, self.denies, self.raises, self.asked = name, denies, raises, 0

    def evaluate(self, call, ctx):
        self.asked += 1
        if self.raises:
            raise RuntimeError("broken")
        return GateDecision(call.tool not in self.denies.split(), self.name, self.name)


CALL, CTX = ToolCall("bad", {}, 1), GateContext(1, [], None)


class Books:
    def __init__(self):
        self.texts = []

    def record(self, observation):
        self.texts.append(observation.text)


class Model:
    """Proposes the tools in turn and remembers what it was told."""

    def __init__(self, *tools):
        self.script, self.told = list(tools), []

    def next_call(self, messages):
        self.told.append([message["content"] for message in messages])
        return ToolCall(self.script.pop(0), {}, 1) if self.script else None


def run(chain, *proposed):
    """What one run comes to: its result, what the model was told, what ran, and what the ledger got."""
    loop, model, books, ran = chain.decide.__globals__["run_loop"], Model(*proposed), Books(), []
    tools = {name: lambda args, name=name: ran.append(name) or f"{name} text" for name in ("good", "bad")}
    result = loop(model, chain([Gate("strict", "bad")]), tools, books)
    return result, model.told, ran, books.texts


def witness(mutant, reference):
    def error(chain):
        loop = chain.decide.__globals__["run_loop"]
        try:
            loop(Model("good"), chain([Gate("strict", "bad")]), {}, Books())
        except KeyError:
            return "KeyError"
        return "none"

    return (error(mutant), error(reference)) == ("none", "KeyError")
