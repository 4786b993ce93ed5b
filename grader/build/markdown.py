"""The words that a build adds to a learner's notebook: its opening, and what frames each exercise."""

from __future__ import annotations

from collections.abc import Sequence

from grader.build.exercise import Header
from grader.build.source import Exercise, Source
from grader.course import ExerciseFacts

# "with help" alone would leave open whose.
_MODES = {"with help": "with help, AI included", "on your own, no AI": "on your own, no AI"}
_HINTS = ("a question", "a direction", "almost the answer")


def opening(source: Source) -> str:
    """The notebook's title, what it asks for, and its summary."""
    asks = [f"about {source.minutes} minutes"]
    asks += [_count(len(source.exercises), "exercise")] if source.exercises else []
    asks += [_count(len(source.predictions), "prediction")] if source.predictions else []
    parts = [f"# {source.number} · {source.title}", f"*{' · '.join(asks)}*"]
    return "\n\n".join([*parts, source.summary] if source.summary else parts)


def announcement(exercise: Exercise, facts: ExerciseFacts) -> str:
    """An exercise's heading, its labels, its prose, and what done means: the promises of its public tests."""
    header = exercise.header
    promises = [_sentence(test.title) for test in facts.tests if test.visibility == "public"]
    hidden = sum(test.visibility == "hidden" for test in facts.tests)
    done = "\n".join(["**Done means**", "", *(f"- {promise}" for promise in promises)])
    parts = [f"### Exercise {exercise.number} · {header.title}", _labels(header, facts), header.prose, done]
    if hidden:
        more = "test holds" if hidden == 1 else "tests hold"
        whose = "its" if hidden == 1 else "their"
        parts.append(f"{hidden} hidden {more} you to the same promises on inputs of {whose} own.")
    return "\n\n".join(parts)


def hints(texts: Sequence[str]) -> str:
    """The hints, each folded away, from a question to almost the answer."""
    folded = (
        # Blank lines around the text: without them Markdown inside the element would not be rendered.
        f"<details>\n<summary>Hint {level} · {kind}</summary>\n\n{text}\n\n</details>"
        for level, (kind, text) in enumerate(zip(_HINTS, texts, strict=True), 1)
    )
    return "\n\n".join(folded)


def _labels(header: Header, facts: ExerciseFacts) -> str:
    # The circles are for the eye; the words beside them say the same to everybody.
    circles = "●" * header.difficulty + "○" * (5 - header.difficulty)
    labels = [f"{circles} difficulty {header.difficulty} of 5", f"~{header.minutes} min", _MODES[header.mode]]
    labels.append(_count(facts.max_points, "point"))
    if header.stretch:
        labels.append("stretch: graded and shown, not counted")
    return " · ".join(labels)


def _count(number: float, what: str) -> str:
    return f"{number:g} {what}{'' if number == 1 else 's'}"


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith((".", "!", "?", ":")) else text + "."
