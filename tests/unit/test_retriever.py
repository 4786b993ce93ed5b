"""The small retriever: likeness of words, and nothing else."""

from course_lib.retriever import search, words

PASSAGES = ["The valve leaks.", "The pump is new.", "A valve, a valve, a valve!"]


def test_words_are_parted_by_everything_else() -> None:
    assert words("Valve 3: leaks, 1 l/day (größer)") == ["valve", "3", "leaks", "1", "l", "day", "größer"]


def test_the_best_comes_first_and_scores_lie_between_0_and_1() -> None:
    found = search("Which valve leaks?", PASSAGES)
    assert [place for _, place in found] == [0, 2, 1]
    assert all(0 <= score <= 1 for score, _ in found)


def test_the_same_words_score_1_in_any_order() -> None:
    assert search("leaks valve the", PASSAGES)[0] == (1.0, 0)


def test_no_word_in_common_scores_0_in_the_order_of_the_passages() -> None:
    assert search("crocodile", PASSAGES) == [(0.0, 0), (0.0, 1), (0.0, 2)]
    assert search("", PASSAGES) == [(0.0, 0), (0.0, 1), (0.0, 2)]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    passages = ["the leak", "the pump", "the gate", "the tank"]
    assert search("the pump", passages)[0][1] == 1
