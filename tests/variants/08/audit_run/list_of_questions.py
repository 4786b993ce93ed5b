"""Derives first, then a list of generators of codes, one for the claims and one for the trace; keys by a work list."""

from course_lib.recordings import project


def audit_run(result):
    trace = result["trace"]
    verdicts = [derive(trace[: size + 1]) for size in range(len(trace))]
    oks = [entry["observation"]["ok"] if "ok" in entry["observation"] else None for entry in trace]
    status, termination = derive(trace)
    answer = {"steps": len(trace), "retries": len([ok for ok in oks if ok is False])}
    answer.update(status=status, termination=termination)

    def claims():
        for key, code in (
            ("steps", "count_mismatch"),
            ("retries", "count_mismatch"),
            ("status", "status_mismatch"),
            ("termination", "termination_mismatch"),
        ):
            if result[key] != answer[key]:
                yield code

    def from_the_trace():
        if any(ended is not None for _, ended in verdicts[:-1]):
            yield "steps_after_terminal"
        if len(oks) >= 7:
            yield "too_many_steps"
        if answer["retries"] >= 4:
            yield "too_many_retries"
        if not all(ok is True or ok is False for ok in oks):
            yield "missing_ok"
        todo = list(trace)
        while todo:
            value = todo.pop()
            if isinstance(value, dict):
                if {key.casefold() for key in value} & set(project()["evidence"]["forbidden_fields"]):
                    yield "forbidden_field"
                todo.extend(value.values())
            elif isinstance(value, list):
                todo.extend(value)

    return answer | {"violations": list(dict.fromkeys([*from_the_trace(), *claims()]))}
