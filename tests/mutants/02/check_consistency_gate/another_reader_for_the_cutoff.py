"""The cutoff comes from a person, so it is read generously."""

from datetime import date, datetime

from course_lib.evidence import QualityGateResult


def read(text):
    try:
        return date.fromisoformat(text)
    except (TypeError, ValueError):
        return None


def kind_of(published, limit):
    if published is None or published == "":
        return "missing"
    day = read(published)
    if day is None:
        return "unparseable"
    return "post_cutoff" if limit is not None and day >= limit else None


def check_consistency_gate(state):
    try:
        limit = datetime.strptime(state.cutoff_date.partition("T")[0], "%Y-%m-%d").date()
    except ValueError:
        limit = None
    issues = []
    if limit is None:
        issues.append({"item": None, "result": None, "kind": "cutoff"})
    for at, each in enumerate(state.evidence):
        for number, page in enumerate(each["content"]["results"]):
            kind = kind_of(page.get("published"), limit)
            if kind is not None:
                issues.append({"item": at, "result": number, "kind": kind})
    return QualityGateResult("consistency", not issues, f"issues: {issues}", {"issues": issues})


CATCHES = "A cutoff that is no such day seems to be read as one"
TEST = "test_an_unreadable_cutoff"


from types import SimpleNamespace


def dated(*published, kind="search_results", cutoff="2020-05-05"):
    results = [{"published": day} for day in published]
    return SimpleNamespace(cutoff_date=cutoff, evidence=[{"type": kind, "content": {"results": results}}])


def witness(mutant, reference):
    state = dated("2020-01-01", cutoff="2020-5-5")
    return mutant(state).details != reference(state).details
