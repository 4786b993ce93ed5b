"""All pages are put in one list with their places first, and then judged by match."""

from datetime import date

from course_lib.evidence import QualityGateResult


def check_consistency_gate(state):
    def parsed(text):
        try:
            return date.fromisoformat(text)
        except (ValueError, TypeError):
            return "unreadable"

    last = parsed(state.cutoff_date)
    found = [] if isinstance(last, date) else [(None, None, "cutoff")]
    places = []
    for at in range(len(state.evidence)):
        results = state.evidence[at]["content"]["results"]
        places.extend((at, n, results[n]) for n in range(len(results)))
    for at, n, page in places:
        match page:
            case {"published": str() | int() as published} if published != "":
                day = parsed(published)
                if day == "unreadable":
                    found.append((at, n, "unparseable"))
                elif last != "unreadable" and (day - last).days >= 0:
                    found.append((at, n, "post_cutoff"))
            case _:
                found.append((at, n, "missing"))
    issues = [dict(zip(("item", "result", "kind"), each, strict=True)) for each in found]
    return QualityGateResult("consistency", issues == [], str(issues) if issues else "fine", {"issues": issues})
