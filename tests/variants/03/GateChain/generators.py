"""The chain is a generator that stops after a denial; the loop is a for over iter(ask, None) with enumerate."""

from course_lib.gates import GateContext, GateDecision, TextObservation


class GateChain:
    def __init__(self, gates):
        self._gates = tuple(gates)
        if len(self._gates) == 0:
            raise ValueError("GateChain: there is no gate to ask")

    def _answers(self, call, ctx):
        for gate in self._gates:
            said = _ask(gate, call, ctx)
            yield said
            if not said.allow:
                return

    def decide(self, call, ctx):
        return list(self._answers(call, ctx))

    def evaluate(self, call, ctx):
        *_, said = self._answers(call, ctx)
        return said


def _ask(gate, call, ctx):
    try:
        return gate.evaluate(call, ctx)
    except Exception as broken:
        return GateDecision(False, "could not answer: " + repr(type(broken).__name__), gate.__class__.__name__)


def run_loop(model, chain, tools, ledger, *, max_refusals=3):
    messages, history, turns = [], [], []
    denied = 0
    for turn, call in enumerate(iter(lambda: model.next_call(list(messages)), None), start=1):
        decisions = chain.decide(call, GateContext(turn=turn, history=list(history), ledger=ledger))
        turns.append(dict(turn=turn, call=call, decisions=decisions))
        if not decisions[-1].allow:
            messages.append(dict(role="system", content=decisions[-1].reason))
            denied += 1
            if denied == max_refusals:
                break
            continue
        observation = TextObservation(call=call, turn=turn, text=tools[call.tool](call.args))
        ledger.record(observation)
        history.append(observation)
        messages.append(dict(role="tool", content=observation.text))
    ended = "refused" if denied == max_refusals else "done"
    return dict(ended=ended, exit_code=0, refusals=denied, turns=turns, messages=messages)
