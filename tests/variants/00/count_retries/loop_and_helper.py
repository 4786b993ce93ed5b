"""A plain loop with an if, and a helper that judges one entry."""


def failed(entry):
    return entry["observation"]["ok"] is False


def count_retries(trace):
    retries = 0
    for entry in trace:
        if failed(entry):
            retries += 1
    return retries
