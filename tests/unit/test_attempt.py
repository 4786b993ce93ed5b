"""Demonstrations wait for an answer, and hide nothing else."""

import pytest

from course_lib.attempt import attempt


def test_a_stub_becomes_one_line(capsys):
    with attempt("replay"):
        raise NotImplementedError("replay")
    assert capsys.readouterr().out == "Waiting for replay: write it, then run this again.\n"


def test_the_stub_may_say_more_in_one_line(capsys):
    with attempt("save_checkpoint", "replay"):
        raise NotImplementedError("replay: choose the next action\nfrom the history")
    assert capsys.readouterr().out == (
        "Waiting for save_checkpoint and replay: write them, then run this again. "
        "(replay: choose the next action from the history)\n"
    )


def test_what_runs_says_nothing(capsys):
    with attempt("replay"):
        value = 3
    assert value == 3
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("error", [ValueError("x"), KeyboardInterrupt(), AssertionError()])
def test_everything_else_goes_through(error):
    with pytest.raises(type(error)), attempt("replay"):
        raise error
