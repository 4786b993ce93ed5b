"""The loop keeps its turns only: history, refusals and messages are derived from them by one function a turn."""

from course_lib.gates import GateContext, GateDecision, TextObservation


class GateChain:
    def __init__(self, gates):
        if not gates:
            raise ValueError("no gates")
        self.first, *self.others = gates

    def decide(self, call, ctx):
        waiting = [self.first, *self.others]
        decisions = []
        while waiting and (not decisions or decisions[-1].allow):
            gate = waiting.pop(0)
            try:
                decisions.append(gate.evaluate(call, ctx))
            except Exception as problem:
                kind = type(gate).__name__
                decisions.append(GateDecision(False, f"{kind} failed with {type(problem).__name__}: {problem}", kind))
        return decisions

    def evaluate(self, call, ctx):
        return self.decide(call, ctx).pop()


def run_loop(model, chain, tools, ledger, *, max_refusals=3):
    record = []  # one (turn row, observation or None, message) for each turn

    def result(ended):
        return {
            "ended": ended,
            "exit_code": 0,
            "refusals": sum(seen is None for _, seen, _ in record),
            "turns": [row for row, _, _ in record],
            "messages": [message for _, _, message in record],
        }

    while result("")["refusals"] < max_refusals:
        call = model.next_call([message for _, _, message in record])
        if call is None:
            return result("done")
        turn = len(record) + 1
        history = [seen for _, seen, _ in record if seen is not None]
        decisions = chain.decide(call, GateContext(turn, history, ledger))
        row = {"turn": turn, "call": call, "decisions": decisions}
        last = decisions[-1]
        if last.allow:
            seen = TextObservation(call, turn, tools[call.tool](call.args))
            ledger.record(seen)
            record.append((row, seen, {"role": "tool", "content": seen.text}))
        else:
            told = f"{call.tool} was not run. {last.gate_name} says: {last.reason}"
            record.append((row, None, {"role": "system", "content": told}))
    return result("refused")
