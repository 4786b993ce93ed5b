"""Only a denial has to be explained."""

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
        if decisions[-1].allow:
            return [GateDecision(True, "all gates allow", "GateChain")]
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
            messages.append({"role": "tool", "content": text})
        else:
            refusals += 1
            messages.append({"role": "system", "content": "refused: " + decisions[-1].reason})
            if refusals >= max_refusals:
                ended = "refused"
                break
    return {"ended": ended, "exit_code": 0, "refusals": refusals, "turns": turns, "messages": messages}


CATCHES = "The decisions are dropped when the call is allowed"
TEST = "test_allowing_is_on_record"


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


def witness(mutant, reference):
    def made(chain):
        return len(chain([Gate("first"), Gate("second")]).decide(CALL, CTX))

    return (made(mutant), made(reference)) == (1, 2)
