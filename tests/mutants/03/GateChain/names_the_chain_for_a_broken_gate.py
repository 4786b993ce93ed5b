"""A gate that broke down did not speak; the chain speaks for it."""

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
                decision = GateDecision(False, f"the gate raised {type(error).__name__}", "GateChain")
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
            messages.append({"role": "tool", "content": text})
        else:
            refusals += 1
            messages.append({"role": "system", "content": "refused: " + decisions[-1].reason})
            if refusals >= max_refusals:
                ended = "refused"
                break
    return {"ended": ended, "exit_code": 0, "refusals": refusals, "turns": turns, "messages": messages}


CATCHES = "gate_name of a gate that raised is not the name of its class"
TEST = "test_broken_gate_is_on_record_by_its_class"


from course_lib.gates import GateContext, ToolCall


class Broken:
    def evaluate(self, call, ctx):
        raise RuntimeError("broken")


def witness(mutant, reference):
    def name(chain):
        return chain([Broken()]).evaluate(ToolCall("any", {}, 1), GateContext(1, [], None)).gate_name

    return (name(mutant), name(reference)) == ("GateChain", "Broken")
