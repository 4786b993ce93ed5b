"""What notebook 02 stands on: the archive and its searches, the gate result, and the figures' messages."""

import json
from pathlib import Path

import pytest

from course_lib.evidence import AS_OF, CUTOFF, QualityGateResult, make_archive, new_run_id, search_archive, wire_story
from course_lib.figures import Dated, admissible_plane, alt_text, evidence_waterfall, gate_matrix, png

STATES, GATES = ["full", "thin"], ["coverage", "freshness", "consistency"]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    make_archive(tmp_path)
    return tmp_path


def test_the_archive_is_made_of_files(archive: Path) -> None:
    names = [path.name for path in sorted(archive.iterdir())]
    assert names == ["base_rate-5.json", *(f"search_results-{number}.json" for number in range(1, 5))]
    before = [path.read_bytes() for path in sorted(archive.iterdir())]
    make_archive(archive)
    assert [path.read_bytes() for path in sorted(archive.iterdir())] == before


def test_searches_give_what_the_six_states_are_made_of(archive: Path) -> None:
    def published(kind: str, word: str, before: str | None = CUTOFF) -> list[str]:
        return [page["published"] for page in search_archive(archive, kind, word, before=before)]

    assert published("search_results", "snow") == ["2025-02-18", "2025-02-17"]
    assert published("search_results", "SNOW", None) == ["2025-02-18", "2025-02-17", "2025-02-27"]
    assert published("search_results", "dam") == ["2025-02-19"]
    assert published("search_results", "ice jam") == []
    assert published("base_rate", "gauge") == ["2025-02-12"]
    assert published("search_results", "gauge") == []
    assert AS_OF[:10] < CUTOFF


def test_a_filter_leaves_out_its_own_day(archive: Path) -> None:
    assert search_archive(archive, "search_results", "dam", before="2025-02-19") == []


def test_a_result_has_four_texts(archive: Path) -> None:
    [page] = search_archive(archive, "base_rate", "springs")
    assert list(page) == ["title", "url", "snippet", "published"]
    assert json.loads(json.dumps(page)) == page


def test_copies_differ_in_their_address_alone() -> None:
    copies = wire_story(["herald", "post"], "2025-02-18")
    assert len({page["url"] for page in copies}) == 2
    assert len({(page["title"], page["snippet"], page["published"]) for page in copies}) == 1


def test_run_ids_differ() -> None:
    assert new_run_id() != new_run_id()


def test_a_gate_result_cannot_be_edited() -> None:
    said = QualityGateResult("coverage", False, "too little", {})
    with pytest.raises(AttributeError):
        said.passed = True  # type: ignore[misc]


def test_the_waterfall_counts_an_item_once() -> None:
    figure = evidence_waterfall(7, {"freshness": [0, 1], "consistency": [1, 4]}, 3)
    assert figure.get_suptitle() == "Of 7 items freshness stops 2, consistency stops 1; 4 are left, enough"
    assert alt_text(figure).endswith("after freshness 5; after consistency 4. Needed: 3.")


def test_the_waterfall_says_when_too_few_are_left() -> None:
    assert evidence_waterfall(3, {"freshness": [0, 2]}, 3).get_suptitle().endswith("1 is left, too few")


def test_the_waterfall_knows_its_items() -> None:
    with pytest.raises(ValueError, match="not among the 2"):
        evidence_waterfall(2, {"freshness": [2]}, 3)


def test_the_plane_tells_each_result() -> None:
    figure = admissible_plane([Dated("snow", 1, 2, False), Dated("late", 2, -7, True)], 24)
    assert figure.get_suptitle() == "1 of 2 results is admissible in both directions"
    assert "late retrieved 2 h before, published -7 days before the cutoff, refused" in alt_text(figure)


def test_the_plane_wants_a_result() -> None:
    with pytest.raises(ValueError, match="no result"):
        admissible_plane([], 24)


def test_the_matrix_says_what_was_not_predicted() -> None:
    failing = {("thin", "coverage")}
    right = gate_matrix(STATES, GATES, failing, failing)
    assert right.get_suptitle() == "1 of 6 cells fails, all as predicted"
    wrong = gate_matrix(STATES, GATES, failing, {("full", "freshness")})
    assert wrong.get_suptitle() == "1 of 6 cells fails, 2 cells not as predicted"
    assert "Not as predicted: full freshness, thin coverage." in alt_text(wrong)
    assert "full: passes; thin: coverage fails" in alt_text(wrong)


def test_the_matrix_wants_cells() -> None:
    with pytest.raises(ValueError, match="no state"):
        gate_matrix([], GATES, set(), set())


def test_the_bytes_depend_on_the_data_alone() -> None:
    def drawn() -> list[bytes]:
        return [
            png(evidence_waterfall(3, {"freshness": [0]}, 3)),
            png(admissible_plane([Dated("snow", 1, 2, False)], 24)),
            png(gate_matrix(STATES, GATES, {("thin", "coverage")}, set())),
        ]

    assert drawn() == drawn()
