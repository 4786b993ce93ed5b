"""What was judged, once for all tests of this folder. PROVE_SEEDS says with how many seeds; it is 2 unless set."""

import os
import sys
from pathlib import Path

import msgspec
import pytest

from tests.proofs import gather


@pytest.fixture(scope="session")
def seeds():
    """At least two: what holds under one seed only is luck."""
    return list(range(1, max(2, int(os.environ.get("PROVE_SEEDS", "2"))) + 1))


@pytest.fixture(scope="session")
def work(request):
    capture = request.config.pluginmanager.getplugin("capturemanager")

    def progress(what, done, total):
        if "PROVE_OUT" in os.environ or sys.__stderr__.isatty():
            with capture.global_and_fixture_disabled():
                gather.tell(sys.stdout, what, done, total)

    with gather.workers(progress) as work:
        yield work


@pytest.fixture(scope="session")
def judged(work, seeds):
    """Every judgement, by the candidate's kind and id; one for each seed.

    `make prove` has every mutant judged by every test of its exercise, `make test` by the one that should catch it.
    """
    everything = gather.judgements(work, seeds, named_only="PROVE_SEEDS" not in os.environ)
    if out := os.environ.get("PROVE_OUT"):
        Path(out).write_bytes(msgspec.json.encode(everything))
    found = {}
    for each in everything:
        found.setdefault((each.candidate.kind, each.candidate.id), []).append(each)
    return found
