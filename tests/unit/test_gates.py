"""What notebook 03 stands on: the script's model, the tools over real files, and the figures' messages."""

from itertools import permutations
from pathlib import Path

import pytest

from course_lib.figures import alt_text, evaluations_by_order, gate_waterfall, png, token_stairs
from course_lib.gates import GateDecision, ScriptedModel, ToolCall, Turn, file_tools, make_logs


def row(turn: int, tokens: int, cumulative: int) -> dict[str, object]:
    return {"turn": turn, "tool": "grep", "tokens": tokens, "cumulative": cumulative}


def turn(number: int, *decisions: bool) -> Turn:
    made = [GateDecision(allow, "because", f"gate {at}") for at, allow in enumerate(decisions)]
    return {"turn": number, "call": ToolCall("grep", {}, number), "decisions": made}


def test_the_script_goes_on_with_each_message_and_ends() -> None:
    script = [ToolCall("grep", {}, 1), ToolCall("read_file", {}, 2)]
    model = ScriptedModel(script)
    told = [{"role": "tool", "content": ""}] * 3
    assert [model.next_call(told[:size]) for size in (0, 1, 2, 3, 0)] == [*script, None, None, script[0]]


def test_a_search_returns_megabytes_and_the_same_each_time(tmp_path: Path) -> None:
    make_logs(tmp_path)
    tools = file_tools(tmp_path)
    found = tools["grep"]({"pattern": "timeout"})
    assert len(found) == 2**21
    assert found.splitlines()[0] == "day-1.log:0001:00:00:00 pump 1 timeout after 30 s, asking again"
    assert found == tools["grep"]({"pattern": "timeout"})
    assert tools["list_files"]({}).split() == [f"day-{day}.log" for day in range(1, 9)]


def test_a_tool_reads_nothing_outside_its_folder(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "inside" / "link.txt").symlink_to(tmp_path / "secret.txt")
    tools = file_tools(tmp_path / "inside")
    answers = [
        tools["read_file"]({"name": name}) for name in ("../secret.txt", "link.txt", "", str(tmp_path / "secret.txt"))
    ]
    assert not any("secret\n" in answer or answer == "secret" for answer in answers)
    assert tools["grep"]({"pattern": "secret"}) == ""


@pytest.mark.parametrize(
    ("ceiling", "message"),
    [(100, "Turn 2 takes the run 20 tokens past its ceiling"), (120, "exactly"), (500, "the ceiling is not reached")],
)
def test_stairs_say_how_far_the_run_went(ceiling: int, message: str) -> None:
    figure = token_stairs([row(1, 40, 40), row(2, 80, 120)], ceiling, [3])
    assert message in alt_text(figure)
    assert "Refused in turn 3." in alt_text(figure)
    assert png(figure) == png(token_stairs([row(1, 40, 40), row(2, 80, 120)], ceiling, [3]))


@pytest.mark.parametrize(
    ("turns", "message"),
    [
        ([turn(1, True, True), turn(2, False)], "gate 0 refuses the call of turn 2; 3 of 4 questions"),
        ([turn(1, False), turn(2, False)], "2 calls are refused; 2 of 4 questions"),
        ([turn(1, True, True)], "No call is refused; 2 of 2 questions"),
    ],
)
def test_a_waterfall_counts_refusals_and_questions(turns: list[Turn], message: str) -> None:
    assert alt_text(gate_waterfall(turns, ["gate 0", "gate 1"])).startswith(message)


def test_orders_are_compared_with_the_chosen_one() -> None:
    counts = {order: 10 + at for at, order in enumerate(permutations(("budget", "bans", "names")))}
    said = alt_text(evaluations_by_order(counts, ("budget", "names", "bans")))
    assert said.startswith("The same answers cost 10 to 15 evaluations; the chosen order costs 11.")


def test_nothing_to_draw_is_refused() -> None:
    with pytest.raises(ValueError, match="no rows"):
        token_stairs([], 100)
    with pytest.raises(ValueError, match="no turn"):
        gate_waterfall([], ["gate"])
    with pytest.raises(ValueError, match="not among"):
        evaluations_by_order({("a", "b"): 1}, ("b", "a"))
