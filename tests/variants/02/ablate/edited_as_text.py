"""The items are taken out of the text, before a state is made of it."""

import json


def ablate(checkpoint, evidence_type, *, as_of):
    data = json.loads(checkpoint)
    data["evidence"] = list(filter(lambda item: item["type"] != evidence_type, data["evidence"]))
    sides = {}
    for name, text in (("before", checkpoint), ("after", json.dumps(data))):
        sides[name] = AgentState.from_json(text)
        decide(sides[name], as_of=as_of)
    return sides
