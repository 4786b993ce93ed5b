"""Evidence: an archive of real files to search, and what a quality gate answers with.

Notebook 02 works with these. The typed record of what an agent has concluded (`AgentState`) and the gates that look
at it are the learner's.

An item of evidence is a dict: `type` ("search_results" or "base_rate"), `source`, `timestamp` (when it was retrieved,
ISO date and time without a zone), `query`, and `content`, a dict whose `results` is a list of {title, url, snippet,
published}; `published` is a day, YYYY-MM-DD.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

RUN_ID = "gauge-demo"  # fixed, so that what a notebook prints stays the same; real runs get one each
QUESTION = "Will the river at Altenau rise above 3.00 m before 1 March 2025?"
AS_OF = "2025-02-19T12:00:00"  # the moment that every check of time refers to, instead of the clock
CUTOFF = "2025-02-20"  # what was published on this day or later may not be known


@dataclass(frozen=True)
class QualityGateResult:
    """What one gate said about a state. `details` holds plain JSON: what was found, for a program to read."""

    gate_name: str
    passed: bool
    reason: str
    details: dict[str, Any]


class Found(TypedDict):
    """One result of a search."""

    title: str
    url: str
    snippet: str
    published: str


def new_run_id() -> str:
    """A new name for a run; no two are the same."""
    return uuid.uuid4().hex


_ARCHIVE = [
    ("search_results", "2025-02-18", "Snow in the hills is melting", "The snow above Altenau is half of what it was."),
    ("search_results", "2025-02-17", "Rain on old snow", "Two days of rain are expected to take the snow with them."),
    ("search_results", "2025-02-19", "The dam lets water go", "Below the dam the river rises by a hand a day."),
    ("search_results", "2025-02-27", "The snow is gone", "The last of the snow went in one night, says the council."),
    ("base_rate", "2025-02-12", "Fifty springs at Altenau", "In 7 of 50 years the gauge stood above 3.00 m by March."),
]


def make_archive(folder: Path) -> None:
    """Write the archive into `folder`: five JSON files, one an article or a table of past years."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, (kind, published, title, snippet) in enumerate(_ARCHIVE, 1):
        name = f"{kind}-{number}"
        url = f"https://archive.example/{name}"
        page = {"title": title, "url": url, "snippet": snippet, "published": published}
        lines = json.JSONEncoder(indent=2).encode({"kind": kind, **page})
        (folder / f"{name}.json").write_bytes(f"{lines}\n".encode())


def search_archive(folder: Path, kind: str, word: str, *, before: str | None = None) -> list[Found]:
    """The files of `kind` in `folder` whose title or snippet holds `word`, in large or small letters.

    With `before`, a day YYYY-MM-DD, only what was published earlier: the filter that a careful search tool has.
    The order is that of the files' names; nothing found is [].
    """
    found: list[Found] = []
    for path in sorted(folder.glob("*.json")):
        page = json.loads(path.read_text(encoding="utf-8"))
        told = f"{page['title']} {page['snippet']}".lower()
        if page["kind"] == kind and word.lower() in told and (before is None or page["published"] < before):
            found.append(
                Found(title=page["title"], url=page["url"], snippet=page["snippet"], published=page["published"])
            )
    return found


def wire_story(outlets: Sequence[str], published: str) -> list[Found]:
    """One report of one news agency, as each of `outlets` printed it: other addresses, the same words."""
    return [
        Found(
            title="River Altenau to pass three metres, agency says",
            url=f"https://{outlet}.example/altenau",
            snippet="An unnamed official expects the gauge above three metres within days.",
            published=published,
        )
        for outlet in outlets
    ]
