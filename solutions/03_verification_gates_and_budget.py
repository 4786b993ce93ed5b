# ---
# course:
#   title: Verification gates and budget
#   minutes: 150
#   summary: A model proposes, a gate decides. Build the gates, the ledger they look at, and the loop that obeys them.
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# Three things that go wrong when a model may call tools as it likes:
#
# - it searches a large folder, and half a million tokens come back in one answer;
# - it acts in turn 47 on a file that it read in turn 3, and that has changed since;
# - it calls a tool that nobody gave it, because a tool of that name would be handy.
#
# None of them is cured by asking the model to be careful. They are cured by code that stands between the
# proposal and the tool, and that says no.
#
# **When you are through, you can**
#
# - write a gate: a function of call, history and ledger that allows or denies, with a reason;
# - keep a ledger of what the model has read, by tool and by turn;
# - refuse on a budget, and say beforehand by how much the budget will be overshot, and why;
# - chain gates so that the first denial ends the questions, in an order that you can defend;
# - run the loop so that a refusal is an ordinary event: shown to the model, counted, on record;
# - explain how a rule against stale reads can lock a run out for ever.

# %% [markdown]
# **What is real here.** The files, three megabytes of them, the tools that search them and every token
# count. Only the model is simulated: it follows a script. The notebook needs no other notebook.
#
# **How to work.** Predict before you run; the cell that follows holds its answer back until you have.
# Exercises end in `check(...)`. Three of the five count. The two marked *stretch* stand further down; the
# core does not need them. Save now and then, and run `grader check 03` in a terminal for the rest of the
# tests.
#
# **The words.** Those of notebooks 00 and 01 (adapter, action, entry, trace, retries) come back in the first two
# questions. From then on the same things are looked at from the model's side, and some have another name:
#
# | word | what it means |
# |---|---|
# | call | what a model proposes: a tool and its arguments, so an action, and the turn of the proposal |
# | turn | one proposal and what became of it: a round of the loop, whether or not the tool ran |
# | observation | what an allowed call brought back, as *text*, which the model reads; until now it was a dict |
# | decision | what one gate said of one call: it *allows* or *denies* |
# | refusal | a call that was denied, as the run counts it and as the model is told |
# | ledger | the sizes of what was read, by turn and tool, without the text |
# | token | the unit in which reading is paid for; part 2 says how many a text costs |

# %%
import inspect
import json
import re
import tempfile
from collections.abc import Iterable, Sequence
from itertools import count, permutations
from pathlib import Path
from typing import Any

from course_lib import attempt, check, figures, predict, reveal
from course_lib.agent import run_task
from course_lib.faults import Stuck
from course_lib.gates import (
    GateContext,
    GateDecision,
    Ledger,
    LedgerRow,
    LoopResult,
    Message,
    Model,
    ScriptedModel,
    TextObservation,
    TextTool,
    ToolCall,
    Turn,
    VerificationGate,
    file_tools,
    make_logs,
)
from course_lib.tools import make_notes, notes_tools

scratch = tempfile.TemporaryDirectory()
root = Path(scratch.name)
make_logs(root / "logs")
print(f"{sum(path.stat().st_size for path in (root / 'logs').iterdir()):,} bytes of log files")

# %% [markdown]
# ## Two questions from earlier
#
# ### Before you run · P03.1
#
# The adapter `Stuck` reads the same two notes over and over. This time `read_note` fails at its third call.
# Look at the six entries: what does the run's `retries` counter say at the end?


# %%
def failing_at(call, tool):
    number = count(1)
    return lambda args: {"ok": False, "error": "tool_unavailable"} if next(number) == call else tool(args)


make_notes(root)
notes = notes_tools(root)
shaky = {**notes, "read_note": failing_at(3, notes["read_note"])}
earlier = run_task(Stuck(), shaky, lambda trace: ("stopped", "by this cell") if len(trace) == 6 else None)
for k, step in enumerate(earlier["trace"]):
    print(k, step["action"]["tool"], *step["action"]["args"].values(), "→", step["observation"].get("error", "ok"))

predict("P03.1", 1, confidence=0.9, kind="number")

# %% [markdown]
# The run kept the counter while it went on:

# %%
reveal("P03.1", lambda: earlier["retries"])

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Three entries repeat an earlier call. Only one of them counts: *retries* counts failed observations. In this
# notebook you will count a third thing, refusals, and it must not be mixed up with either.
#
# </details>

# %% [markdown]
# ### Before you run · P03.2
#
# A run has six entries, which is its step budget. No report was written. The third observation that failed is
# that of the sixth entry. Which termination is it: `"goal_reached"`, `"tool_failure"` or `"step_budget"`?

# %%
predict("P03.2", "tool_failure", confidence=0.8, kind=["goal_reached", "tool_failure", "step_budget"])

# %% [markdown]
# Two of the three descriptions fit. They are asked about in the order in which they are printed, and the first that
# fits is the end.


# %%
def first_that_fits(entries, failed, written):
    descriptions = {
        "goal_reached": written,
        "tool_failure": failed == 3,
        "step_budget": entries == 6,
    }
    print(", ".join(f"{name}: {'fits' if fits else 'no'}" for name, fits in descriptions.items()))
    return next(name for name, fits in descriptions.items() if fits)


reveal("P03.2", lambda: first_that_fits(entries=6, failed=3, written=False))

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Keep the pattern in mind: several rules, a fixed order, and the first that applies speaks for all. You will
# build it again, as a chain of gates.
#
# </details>

# %% [markdown]
# ## 1 · A gate answers before anything happens
#
# A model proposes a `ToolCall`: a tool, its arguments, and the turn in which the model decided on it. A
# **gate** answers with a `GateDecision`: allow or not, a reason in words, and who says so. Every gate has the
# same one method, so a gate can be put in the place of any other:

# %%
proposal = ToolCall(tool="grep", args={"pattern": "timeout"}, turn=1)
print(proposal)
print(GateDecision(allow=False, reason="it is raining", gate_name="WeatherGate"))
print(inspect.getsource(VerificationGate))

# %% [markdown]
# `ctx`, a `GateContext`, is all that a gate may look at besides the call. It has three fields: `turn` is the present
# turn, `history` the list of observations so far, and `ledger` the ledger, which you build in a moment.
#
# An allowed call brings back a `TextObservation`, also with three fields: `call`, `turn` and `text`. Earlier notebooks
# had an observation as a dict that code decides by; here it is the text that the model will read. Look at the two
# turns below. This call was decided on in turn 1 and its answer came back in turn 4.

# %%
slow = TextObservation(call=proposal, turn=4, text="12 lines found")
print(slow)
print("decided on in turn", slow.call.turn, "· back in turn", slow.turn, "· tool", slow.call.tool, "·", slow.text)
print(GateContext(turn=5, history=[slow], ledger=None))

# %% [markdown]
# A gate is code, and it is deterministic: the same call and the same context give the same decision. It is not a
# second model that is asked for its opinion. So it can be tested, and it cannot be talked round.
#
# Here is a whole gate, as an example. Look at its three parts: the limit that it is made with, the question, the
# reason.


# %%
class ShortCallGate:
    """Denies a call whose arguments, written out as JSON, take more than `most` characters."""

    def __init__(self, most: int) -> None:
        self.most = most

    def evaluate(self, call: ToolCall, ctx: GateContext) -> GateDecision:
        size = len(json.dumps(call.args))
        verdict = size <= self.most
        return GateDecision(verdict, f"{size} characters of arguments, at most {self.most}", "ShortCallGate")


for pattern in ("timeout", "timeout|" * 40):
    said = ShortCallGate(200).evaluate(ToolCall("grep", {"pattern": pattern}, 1), ctx=None)
    print("allow" if said.allow else "DENY ", "·", said.reason, "·", said.gate_name)

# %% [markdown]
# ## 2 · What has been read
#
# What a tool returns, the model reads, and reading costs tokens. How many, only the model's own tokenizer
# knows. A gate must not wait for it, so we use a stand-in that is good enough for English: *one token for every
# four characters, rounded down.*
#
# ### Before you run · P03.3
#
# The same forty characters can come back in one answer, in four answers of ten characters, or in eight answers of
# five. Each answer is counted by itself. How many tokens are they, the first way, the second and the third? Predict
# *(at once, in tens, in fives)*, for instance `(40, 40, 40)`.

# %%
predict("P03.3", (10, 8, 8), confidence=0.9)

# %% [markdown] exercise="ObservationLedger" title="Write down what was read" difficulty=2 minutes=20 mode="with help"
# A budget needs to know what was spent. The ledger is where that stands: one row for each observation, with the
# turn, the tool and the tokens, but without the text. Observations can arrive late, a slow tool's after a fast
# one's, so the ledger must not take the order of arrival for the order of turns.
#
# Write `ObservationLedger`. Keep as little as you can, and work the rest out when you are asked. A total that
# is stored beside its parts can drift away from them.
#
# hint: What would you have to correct in the rows already stored, when an observation of an earlier turn comes
# in late? And if those rows held no total?
# hint: Keep one list of small tuples: turn, tool, tokens. Each of the other methods goes through that list once.
# hint: record appends (turn of the observation, tool of its call, a quarter of the length of the text with //).
# For rows, sort a copy of the list by turn alone (sorted keeps equal ones in order), then walk through it with a
# running total and make a new dict at each step. latest_turn is the max of 0 and all turns.


# %%
class ObservationLedger:
    """What the model has read in one run. It begins empty: ObservationLedger()."""

    def __init__(self) -> None:
        # BEGIN SOLUTION
        self._entries = []  # (turn, tool, tokens), as they came in
        # END SOLUTION

    def record(self, observation: TextObservation) -> None:
        """Enter one observation: its own turn, the tool of its call, and what its text costs.

        observation.turn is the turn in which it came back; that of its call, which may be earlier, does not count.
        A text costs len(text) // 4 tokens, a whole number: its characters, not its bytes, whatever was in the
        call. Fewer than four characters cost nothing, and still make a row. Observations may come in any order
        of their turns.
        """
        # BEGIN SOLUTION
        tokens = len(observation.text) // 4
        self._entries.append((observation.turn, observation.call.tool, tokens))
        # END SOLUTION

    def cumulative(self) -> int:
        """The tokens of all observations together; 0 for an empty ledger."""
        # BEGIN SOLUTION
        return sum(tokens for _, _, tokens in self._entries)
        # END SOLUTION

    def per_tool(self, tool: str) -> int:
        """The tokens of the observations of exactly this tool; 0 for a tool that has none."""
        # BEGIN SOLUTION
        return sum(tokens for _, name, tokens in self._entries if name == tool)
        # END SOLUTION

    def latest_turn(self) -> int:
        """The highest turn of any observation, whenever it came in; 0 for an empty ledger."""
        # BEGIN SOLUTION
        return max([0, *(turn for turn, _, _ in self._entries)])
        # END SOLUTION

    def rows(self) -> list[LedgerRow]:
        """One dict {"turn", "tool", "tokens", "cumulative"} for each observation.

        They come in the order of their turns; those of one turn as they came in. "cumulative" is the sum of
        "tokens" from the first row to this one. The list is the caller's own: changing it, or a dict in it,
        changes nothing in the ledger.
        """
        # BEGIN SOLUTION
        listed: list[LedgerRow] = []
        total = 0
        for turn, tool, tokens in sorted(self._entries, key=lambda entry: entry[0]):
            total += tokens
            listed.append({"turn": turn, "tool": tool, "tokens": tokens, "cumulative": total})
        return listed
        # END SOLUTION


# %% [markdown]
# Time for P03.3: the same text, cut in five ways. Look at the totals.


# %%
def observe(ledger, turn, tool, text):
    ledger.record(TextObservation(ToolCall(tool, {}, turn), turn, text))


def cost_in_pieces(text, size):
    ledger = ObservationLedger()
    for turn, start in enumerate(range(0, len(text), size), 1):
        observe(ledger, turn, "read_file", text[start : start + size])
    print(f"{len(ledger.rows()):>2} answers of at most {size:>2} characters: {ledger.cumulative():>2} tokens")
    return ledger.cumulative()


def cost_of_forty():
    text = "All eight pumps report normal pressure.\n"
    cost = {size: cost_in_pieces(text, size) for size in (40, 10, 5, 4, 3)}
    return cost[40], cost[10], cost[5]


with attempt("ObservationLedger"):
    reveal("P03.3", cost_of_forty)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# What is rounded off is lost once for each answer, and a model that reads a file three characters at a time reads
# all of it for nothing, as far as this ledger knows. A stand-in is allowed to be wrong; whoever uses it has to know
# where.
#
# </details>

# %% [markdown]
# ## 3 · A budget can only look back
#
# How large an observation is, nobody knows before the tool has run. So a budget gate cannot ask whether a call
# *would* break the ceiling. It asks whether the ceiling *has been reached*, and if so, every later call is denied.
#
# ### Before you run · P03.4
#
# Six cards lie in a folder, 360 characters each, so a card costs 90 tokens. The ceiling is 180 tokens. A model
# reads one card a turn, and the gate is asked before each. In which turn does it deny for the first time?

# %%
(root / "cards").mkdir()
for number in range(1, 7):
    (root / "cards" / f"card-{number}.txt").write_text(f"card {number} ".ljust(359, ".") + "\n")
cards = file_tools(root / "cards")

predict("P03.4", 3, confidence=0.7, kind="number")

# %% [markdown] exercise="BudgetGate" title="Stop when the budget is reached" difficulty=2 minutes=20 mode="with help" defines="PerToolBudgetGate"
# Nothing else in this notebook would have stopped the half million tokens. The gate is short; what makes it
# right is where it looks (in the ledger, each time, and nowhere else) and which side of the ceiling counts.
#
# Write `BudgetGate`, with one ceiling for the run, and `PerToolBudgetGate`, with a ceiling for each tool that
# has one.
#
# hint: Ten tokens may be read, and ten have been read. May the next call run? What does the gate have to
# remember from one call to the next?
# hint: Compare what the ledger says now with the limit. Reached means equal or more. The call itself does not
# matter to the first gate; to the second its tool's name does, for the limit and for the ledger.
# hint: remaining is the larger of 0 and the limit minus what the ledger's cumulative() says, and evaluate allows while
# something remains. In the second gate, ask limits.get for the tool: without a limit allow, otherwise compare it
# with ctx.ledger.per_tool.


# %%
class BudgetGate:
    """One ceiling for all that the model reads in a run, in tokens, 0 or more."""

    def __init__(self, max_tokens: int) -> None:
        # BEGIN SOLUTION
        self._ceiling = max_tokens
        # END SOLUTION

    def remaining(self, ctx: GateContext) -> int:
        """How many tokens are left before the ceiling is reached; 0 when it was reached or overshot."""
        # BEGIN SOLUTION
        return max(0, self._ceiling - ctx.ledger.cumulative())
        # END SOLUTION

    def evaluate(self, call: ToolCall, ctx: GateContext) -> GateDecision:
        """Deny every call once the tokens in ctx.ledger have reached max_tokens; allow until then.

        A ceiling of 0 is reached before anything is read.
        All turns count, and nothing but the ledger counts: not the text of the call, not calls that were
        refused, not what this gate was asked before. gate_name is "BudgetGate", the reason is not empty.
        """
        # BEGIN SOLUTION
        left = self.remaining(ctx)
        return GateDecision(left > 0, f"{left} of {self._ceiling} tokens are left to read", type(self).__name__)
        # END SOLUTION


class PerToolBudgetGate:
    """Ceilings for single tools: `limits` maps a tool's name to the tokens that it may bring in, 0 or more."""

    def __init__(self, limits: dict[str, int]) -> None:
        # BEGIN SOLUTION
        self._limits = dict(limits)
        # END SOLUTION

    def evaluate(self, call: ToolCall, ctx: GateContext) -> GateDecision:
        """Deny a call whose tool has a limit that the tokens of this very tool have reached; allow all others.

        A tool without a limit is allowed; one with the limit 0 never is. gate_name is "PerToolBudgetGate", the reason
        is not empty.
        """
        # BEGIN SOLUTION
        limit = self._limits.get(call.tool)
        if limit is None:
            return GateDecision(True, f"{call.tool} has no limit", type(self).__name__)
        used = ctx.ledger.per_tool(call.tool)
        reason = f"{call.tool} brought in {used} tokens; its limit is {limit}"
        return GateDecision(used < limit, reason, type(self).__name__)
        # END SOLUTION


# %% [markdown]
# Now the model reads its cards, and the gate is asked before each of them. Look at how many tokens have been read
# where it first says DENY.


# %%
def first_denied_turn(budget, tools, script):
    ledger, history = ObservationLedger(), []
    for call in script:
        said = budget.evaluate(call, GateContext(call.turn, history, ledger))
        print(f"turn {call.turn}: {ledger.cumulative():>4} tokens read →", "allow" if said.allow else "DENY")
        if not said.allow:
            return call.turn
        history.append(TextObservation(call, call.turn, tools["read_file"](call.args)))
        ledger.record(history[-1])


read_cards = [ToolCall("read_file", {"name": f"card-{turn}.txt"}, turn) for turn in range(1, 7)]

with attempt("ObservationLedger", "BudgetGate"):
    reveal("P03.4", lambda: first_denied_turn(BudgetGate(180), cards, read_cards))

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# A gate that says *more than* where it should say *at least* gives one card away here. With a ceiling of 179 or
# 181 nobody would have noticed. Limits are tested at the limit.
#
# </details>

# %% [markdown]
# A budget for each tool is the same question, put to another column of the ledger. Look at who is
# stopped and who may go on.

# %%
with attempt("ObservationLedger", "BudgetGate", "PerToolBudgetGate"):
    ledger = ObservationLedger()
    observe(ledger, 1, "grep", "x" * 4000)
    observe(ledger, 2, "read_file", "x" * 400)
    for tool in ("grep", "read_file", "list_files"):
        said = PerToolBudgetGate({"grep": 500, "read_file": 500}).evaluate(
            ToolCall(tool, {}, 3), GateContext(3, [], ledger)
        )
        print(f"{tool:10}", "allow" if said.allow else "DENY ", "·", said.reason)

# %% [markdown]
# ## 4 · Several gates, one answer
#
# Rules come in numbers. A **chain** asks its gates in order; the first denial is the chain's answer, and the
# gates behind it are not asked. Two things speak for the order: what a gate costs, and what happens where it is
# missing.
#
# | order | gate | looks at | without it |
# |---|---|---|---|
# | 1 | whitelist | one name in a set | any tool at all can run |
# | 2 | patterns | every argument | an allowed tool runs with a dangerous argument |
# | 3 | recency | a turn and a window | an allowed, harmless call is acted on too late |
# | 4 | budget | the whole ledger | too much is read |
#
# The harm that a gate prevents goes down from row to row, and the dearest question, which adds up a whole ledger,
# comes last. So the worst is prevented first, and cheaply.

# %% [markdown]
# ### Before you run · P03.5 and P03.6
#
# Below are six calls. Each is named by the rules that it breaks, if any. A chain has four gates in the order of
# the table: `whitelist`, `patterns`, `recency`, `budget`.
#
# Which gate speaks for call 3? Answer with its name. And how many questions are put over all six calls, to
# all gates together?

# %%
BREAKS = [
    [],
    ["patterns"],
    ["budget", "patterns"],
    ["recency", "whitelist"],
    ["budget"],
    ["whitelist"],
]
for number, broken in enumerate(BREAKS, 1):
    print(f"call {number} breaks: {', '.join(broken) or 'nothing'}")

predict("P03.5", "patterns", confidence=0.9, kind=["whitelist", "patterns", "recency", "budget"])
predict("P03.6", 14, confidence=0.8, kind="number")

# %% [markdown] exercise="GateChain" title="The chain, and the loop that obeys it" difficulty=4 minutes=40 mode="with help" defines="run_loop"
# Here is where the tempting mistakes are. An empty chain that allows everything. A gate with a bug that raises,
# and the error is caught and the call let through. A call that is denied in the log and has run all the same. A
# refusal that nobody tells the model about, so that it proposes the same again. Each of them looks fine on a good
# day.
#
# Write `GateChain` and `run_loop`. A gate that raises **denies**: whoever cannot answer has not agreed.
#
# hint: When is a call allowed: when no gate has denied it, or when every gate was asked and said yes? The
# two differ for an empty chain and for a gate that breaks down.
# hint: decide builds a list: ask a gate, append its answer, stop after a denial. evaluate only takes the last
# of that list. In the loop, call decide once per turn, look at its last decision, and let everything that an
# allowed call does (run, record, remember, tell) stand in one branch.
# hint: In decide, put the call of gate.evaluate into try; on Exception make a GateDecision with allow False
# and the exception's type name in the reason. In run_loop, count turns from 1; at each one get the
# call and return with "done" when it is None, then decide and note the turn. After a denial append the system
# message, add one to refusals, and return with "refused" when that equals max_refusals.


# %%
class GateChain:
    """Gates that are asked in the order in which they are given, until one of them denies.

    GateChain([]) raises ValueError: a chain that asks nobody would allow everything.
    """

    def __init__(self, gates: Sequence[VerificationGate]) -> None:
        # BEGIN SOLUTION
        if not gates:
            raise ValueError("a chain without gates would allow everything")
        self._gates = list(gates)
        # END SOLUTION

    def decide(self, call: ToolCall, ctx: GateContext) -> list[GateDecision]:
        """Every decision that was made on `call`, in the order in which the gates were asked.

        The first denial ends the list: gates behind it are not asked. So the call is allowed when the last
        decision allows it, and then the list holds a decision of every gate. A gate whose evaluate raises an
        Exception, of whatever type, has denied: its decision is GateDecision(False, ...), the name of the
        exception's type stands in the reason, and gate_name is the name of the gate's class. No gate is asked twice.
        """
        # BEGIN SOLUTION
        made: list[GateDecision] = []
        for gate in self._gates:
            try:
                answer = gate.evaluate(call, ctx)
            except Exception as error:
                answer = GateDecision(False, f"{type(error).__name__} in the gate: {error}", type(gate).__name__)
            made.append(answer)
            if not answer.allow:
                break
        return made
        # END SOLUTION

    def evaluate(self, call: ToolCall, ctx: GateContext) -> GateDecision:
        """The last decision of decide(call, ctx). With this method a chain is a gate itself."""
        # BEGIN SOLUTION
        return self.decide(call, ctx)[-1]
        # END SOLUTION


def run_loop(
    model: Model, chain: GateChain, tools: dict[str, TextTool], ledger: Ledger, *, max_refusals: int = 3
) -> LoopResult:
    """Let `model` call `tools` as far as `chain` allows it. One proposal is one turn; turns count from 1.

    In each turn model.next_call(messages) is a ToolCall, or None when the model is done; `messages` is all that
    it has been told so far, [] at first. The chain is asked once, with GateContext(turn, history, ledger), where
    turn is the loop's own, however old the call is, and history holds the observations so far, oldest first.

    Allowed: tools[call.tool](call.args) gives a text. TextObservation(call, turn, text), with the loop's turn, is
    recorded in `ledger` and belongs to the history. The model is told {"role": "tool", "content": text}.
    Denied: the tool does not run and the ledger gets no row. The model is told {"role": "system", "content": ...},
    and the reason of the denial stands in the content.

    It ends with "done" when next_call gives None, and with "refused" as soon as max_refusals calls (1 or more)
    have been denied in this run, however many were allowed between them; the model is then not asked again.

    Returns {"ended": "done" or "refused", "exit_code": 0, "refusals": how many calls were denied,
    "turns": [{"turn", "call", "decisions": what decide gave}, ...], "messages": all that the model was told, the
    last refusal included}. The exit code is 0 at both ends, for a refusal is no crash. What the model or a tool
    raises passes through.
    """
    # BEGIN SOLUTION
    history = []
    messages = []
    turns = []
    refusals = 0
    ended = "done"
    while (call := model.next_call(list(messages))) is not None:
        turn = len(turns) + 1
        decisions = chain.decide(call, GateContext(turn, list(history), ledger))
        turns.append({"turn": turn, "call": call, "decisions": decisions})
        verdict = decisions[-1]
        if verdict.allow:
            tool = tools[call.tool]
            text = tool(call.args)
            seen = TextObservation(call, turn, text)
            ledger.record(seen)
            history.append(seen)
            messages.append({"role": "tool", "content": text})
            continue
        refusals += 1
        messages.append({"role": "system", "content": f"Refused: {verdict.reason}"})
        if refusals == max_refusals:
            ended = "refused"
            break
    return {"ended": ended, "exit_code": 0, "refusals": refusals, "turns": turns, "messages": messages}
    # END SOLUTION


# %% [markdown]
# For P03.5 and P03.6, a gate that reads its answer from the table and counts how often it is asked.


# %%
class TableGate:
    """Denies the calls that break the rule of its name."""

    def __init__(self, name):
        self.name, self.asked = name, 0

    def evaluate(self, call, ctx):
        self.asked += 1
        fine = self.name not in call.args["breaks"]
        return GateDecision(fine, f"{self.name}: {'kept' if fine else 'broken'}", self.name)


six_calls = [ToolCall("any", {"breaks": broken}, turn) for turn, broken in enumerate(BREAKS, 1)]
ORDER = ("whitelist", "patterns", "recency", "budget")


def speaker():
    said = GateChain([TableGate(name) for name in ORDER]).evaluate(six_calls[2], ctx=None)
    print("the model is told:", said.reason)
    return said.gate_name


with attempt("GateChain"):
    reveal("P03.5", speaker)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# One reason goes back to the model, and it is the reason of the gate that stands first. The other rule is broken
# all the same; the model will hear of it when it has mended the first.
#
# </details>

# %% [markdown]
# The same six calls can be put to all 24 orders of the four gates. Look for the order of the table among them.


# %%
def questions(order):
    gates = [TableGate(name) for name in order]
    chain = GateChain(gates)
    for each in six_calls:
        chain.evaluate(each, ctx=None)
    return sum(gate.asked for gate in gates)


def questions_in_every_order():
    counted = {order: questions(order) for order in permutations(ORDER)}
    figures.show(figures.evaluations_by_order(counted, ORDER))
    return counted[ORDER]


with attempt("GateChain"):
    reveal("P03.6", questions_in_every_order)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# The answer to *may it run?* is the same in all orders; what differs is the work, and which reason is given. The
# order of the table is not the one with the fewest questions here. A question to the whitelist looks into a set; one
# to the budget adds up a ledger. And on another day other calls are proposed. An order by cost and harm
# needs no such luck.
#
# </details>

# %% [markdown]
# What of a gate that is broken? Here is one whose author forgot to give it its rules. Look at the decision:
# it must be a denial.


# %%
class ForgetfulGate:
    def evaluate(self, call, ctx):
        return self.rules[call.tool]


with attempt("GateChain"):
    for said in GateChain([ShortCallGate(200), ForgetfulGate()]).decide(proposal, ctx=None):
        print("allow" if said.allow else "DENY ", "·", said.reason, "·", said.gate_name)

# %% [markdown]
# That is called *fail closed*. The run suffers, somebody notices, the gate gets mended. A gate that fails open
# suffers nothing, and nobody notices anything.

# %% [markdown]
# ### Three turns
#
# Now all of it together, on the log files. The model lists the files, searches them for timeouts, and then wants
# to read one of them. Two gates watch: short arguments, and a budget of 100,000 tokens.
#
# Look at the third column of the figure, and at what the run prints below it.

# %%
CEILING = 100_000
logs = file_tools(root / "logs")
three_turns = [
    ToolCall("list_files", {}, 1),
    ToolCall("grep", {"pattern": "timeout"}, 2),
    ToolCall("read_file", {"name": "day-3.log"}, 3),
]


def run_three_turns(ledger):
    chain = GateChain([ShortCallGate(200), BudgetGate(CEILING)])
    return run_loop(ScriptedModel(three_turns), chain, logs, ledger)


with attempt("ObservationLedger", "BudgetGate", "GateChain"):
    result = run_three_turns(ObservationLedger())
    figures.show(figures.gate_waterfall(result["turns"], ["ShortCallGate", "BudgetGate"]))
    for turn in result["turns"]:
        print(turn["turn"], turn["call"].tool.ljust(10), [(d.gate_name, d.allow) for d in turn["decisions"]])
    print("ended:", result["ended"], "· refusals:", result["refusals"], "· exit code:", result["exit_code"])

# %% [markdown]
# The refusal is an ordinary turn: it has its line in the record, the model was told, and the run ended as it
# should. The exit code is 0. Had it been 1, every nightly job would call somebody out of bed because a gate did
# its work.
#
# The number of refusals is worth watching, though. A model that is refused often has been given the wrong
# tools, or the wrong task.

# %% [markdown]
# ### Before you run · P03.7
#
# The budget was 100,000 tokens. How many tokens *over* it was the ledger when the third call was refused? The
# cell shows how many characters each tool returns when it is called by hand. Four characters are a token.

# %%
for call in three_turns:
    print(f"{call.tool:10} returns {len(logs[call.tool](call.args)):>9,} characters")

predict("P03.7", 424308, confidence=0.8, kind="number")

# %% [markdown]
# The stairs show what had been read after each turn. The shaded part lies above the ceiling.


# %%
def overshoot():
    ledger = ObservationLedger()
    result = run_three_turns(ledger)
    denied = [turn["turn"] for turn in result["turns"] if not turn["decisions"][-1].allow]
    figures.show(figures.token_stairs(ledger.rows(), CEILING, denied))
    return ledger.cumulative() - CEILING


with attempt("ObservationLedger", "BudgetGate", "GateChain"):
    reveal("P03.7", overshoot)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Before the search 20 tokens had been read, so the gate had every reason to allow it. Then everything came at
# once. **A budget that looks back can be overshot by one observation, and no more than one**: after it, nothing
# runs. How large that one may be, the gate does not decide. The tool does.
#
# </details>

# %% [markdown]
# How large an answer may be is for the tool to say. So limit the tool. The wrapper below cuts each answer at 48,000 characters, and the model searches again and
# again. Look at the steps, and at how little lies above the ceiling.


# %%
def clamped(tool, most):
    return lambda args: tool(args)[:most]


def search_again_and_again(ledger):
    script = [ToolCall("grep", {"pattern": f"pump {turn % 7 + 1} timeout"}, turn) for turn in range(1, 20)]
    chain = GateChain([ShortCallGate(200), BudgetGate(CEILING)])
    return run_loop(ScriptedModel(script), chain, {"grep": clamped(logs["grep"], 48_000)}, ledger)


with attempt("ObservationLedger", "BudgetGate", "GateChain"):
    ledger = ObservationLedger()
    result = search_again_and_again(ledger)
    denied = [turn["turn"] for turn in result["turns"] if not turn["decisions"][-1].allow]
    figures.show(figures.token_stairs(ledger.rows(), CEILING, denied))
    print("ended:", result["ended"], "after", result["refusals"], "refusals, in turn", len(result["turns"]))

# %% [markdown]
# The script does not listen to refusals, and so it was stopped at the third. A model that listens would have
# asked for less.
#
# It would have read the refusals, too, and they are text. Look at what the ledger knows of, and what it does not.

# %%
with attempt("ObservationLedger", "BudgetGate", "GateChain"):
    messages = search_again_and_again(ObservationLedger())["messages"]
    for role in ("tool", "system"):
        told = [message["content"] for message in messages if message["role"] == role]
        print(f"{role:7} {len(told):>2} messages, {sum(map(len, told)):>8,} characters")

# %% [markdown]
# By our rule only what a tool returned is in the ledger. A short text each does no harm. With a threshold of
# thousands of refusals they would, and then they want a column of their own: counted, but apart from
# what was read, because a model must not be able to use up its budget by being refused.

# %% [markdown]
# ## 5 · Which tools, which arguments
#
# From here on the exercises are *stretch*: graded and shown, not counted. They fill the first three rows of
# the table.

# %% [markdown] exercise="WhitelistGate" title="Names and patterns" difficulty=2 minutes=15 mode="with help" stretch=true defines="RegexGate"
# A whitelist says what may run; everything it does not know is denied, the tool that is invented tomorrow included.
# A list of forbidden patterns is the opposite. It catches what its author thought of.
#
# Write `WhitelistGate`, which looks at the tool's name and nothing else, and `RegexGate`, which looks at the
# arguments and nothing else.
#
# hint: What should a whitelist without a single name say to a call? And to `Read_File`, when `read_file` is on
# it?
# hint: For names, ask whether the exact name is in a set. For patterns, compile each once, when the gate is made,
# and look for it anywhere in the text of each argument.
# hint: Use re.compile in __init__ and the compiled pattern's search in evaluate; match would only look at the
# beginning. any over all patterns and all values of call.args, each turned into text with str, says whether to deny.


# %%
class WhitelistGate:
    """The names of the tools that may be called: any iterable, also one that can be gone through only once."""

    def __init__(self, allowed: Iterable[str]) -> None:
        # BEGIN SOLUTION
        self._names = frozenset(allowed)
        # END SOLUTION

    def evaluate(self, call: ToolCall, ctx: GateContext) -> GateDecision:
        """Allow a call whose tool is one of the allowed names, letter for letter; deny every other call.

        With no names at all, every call is denied. gate_name is "WhitelistGate", the reason is not empty.
        """
        # BEGIN SOLUTION
        known = call.tool in self._names
        return GateDecision(known, f"{call.tool} is {'' if known else 'not '}on the list", type(self).__name__)
        # END SOLUTION


class RegexGate:
    """Regular expressions, in the syntax of Python's `re`, that no argument may contain.

    Any iterable of them will do, also one that can be gone through only once. Each pattern counts by itself, with the
    flags that are written into it and no others. Without a single pattern every call is allowed.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        # BEGIN SOLUTION
        self._patterns = [re.compile(pattern) for pattern in patterns]
        # END SOLUTION

    def evaluate(self, call: ToolCall, ctx: GateContext) -> GateDecision:
        """Deny a call when any of the patterns is found anywhere in any of its arguments' values; else allow.

        A value is looked at as text, str(value); the names of arguments and of the tool are not looked at. The
        values are only searched in, never taken for patterns. gate_name is "RegexGate", the reason is not empty.
        """
        # BEGIN SOLUTION
        for value in call.args.values():
            for pattern in self._patterns:
                if pattern.search(str(value)):
                    return GateDecision(False, f"{pattern.pattern} was found", type(self).__name__)
        return GateDecision(True, "no pattern was found", type(self).__name__)
        # END SOLUTION


# %% [markdown]
# Two patterns against five commands that would do harm. (Nothing is run here; the gate only reads.) Look at which
# of them get through.

# %%
with attempt("WhitelistGate", "RegexGate"):
    harmful = RegexGate([r"rm -rf", r"\b10\.\d+\.\d+\.\d+\b"])
    for command in (
        "rm -rf /data",
        "rm -fr /data",
        "rm -r -f /data",
        "curl http://10.0.0.8/",
        "curl http://0x0a000008/",
    ):
        said = harmful.evaluate(ToolCall("shell", {"command": command}, 1), GateContext(1, [], None))
        print("allow" if said.allow else "DENY ", "·", command)

# %% [markdown]
# Lists of what is forbidden leak: there is always another spelling. So the whitelist comes first, and the better
# cure for `shell` is not to offer it.

# %% [markdown]
# ## 6 · What was read too long ago
#
# An observation grows stale. Two rules follow. What is older than a *window* of turns is no longer shown to the
# model. And a call that was *decided on* too many turns ago (it waited for somebody's approval, or in a queue)
# does not run: the model would not propose it now.
#
# A third rule suggests itself: deny when the last read is too long ago. Look at what it does.


# %%
class GapGate:
    """Denies when nothing has been read for more than `window` turns. It sounds reasonable."""

    def __init__(self, window):
        self.window = window

    def evaluate(self, call, ctx):
        gap = ctx.turn - ctx.ledger.latest_turn()
        return GateDecision(gap <= self.window, f"the last read was {gap} turns ago", "GapGate")


with attempt("ObservationLedger"):
    ledger = ObservationLedger()
    observe(ledger, 4, "read_file", "the pressure is fine")
    for turn in (6, 7, 8, 9, 40):
        said = GapGate(3).evaluate(ToolCall("read_file", {}, turn), GateContext(turn, [], ledger))
        print(f"turn {turn:>2}:", "allow" if said.allow else "DENY ", "·", said.reason)

# %% [markdown]
# Once the gap is too wide, every call is denied, and with it the very read that would close the gap. The run is
# locked out for ever.
#
# ### Before you run · P03.8
#
# The last observation is of turn 4, and it is turn 9 now. Six calls that read the file again lie in a queue, decided
# on in the turns 4, 5, 6, 7, 8 and 9. Your gate is going to follow the second rule: it denies what was decided on more
# than 3 turns ago. Which of the six may run? Predict the set of the turns in which they were decided on.

# %%
predict("P03.8", {6, 7, 8, 9}, confidence=0.8, kind="set")

# %% [markdown] exercise="RecencyGate" title="A window that opens again" difficulty=3 minutes=15 mode="with help" stretch=true defines="visible"
# Age is counted in turns, not in observations: five observations of one turn are equally fresh. And whatever is
# hidden must be gone from what the model reads, not replaced by something of the same length, or it costs what it
# cost before.
#
# Write `visible`, which picks the observations that the model may still see, and `RecencyGate`, which denies a call
# that was decided on too long ago.
#
# hint: Which two turns does the age of an observation depend on? And that of a call? Is there a third number
# that should have no say?
# hint: Both are the same comparison: the present turn minus the turn of the thing, against the window. Exactly
# the window is still inside.
# hint: visible is a list comprehension that keeps an observation when turn minus its own turn is at most window.
# The gate compares ctx.turn with the turn of the call in the same way, and looks at neither ledger nor history.


# %%
def visible(observations: list[TextObservation], turn: int, window: int) -> list[TextObservation]:
    """The observations that the model may still see in `turn`: those that are at most `window` turns old.

    An observation is turn - observation.turn turns old, however old its call is; those of one turn are of one age,
    whatever their tool and however many there are. They may come in any order of their turns. The result is a new
    list of the same observations in the same order; older ones are not in it at all. `observations` is left as it was.
    """
    # BEGIN SOLUTION
    return [each for each in observations if turn - each.turn <= window]
    # END SOLUTION


class RecencyGate:
    """How many turns may pass, at most, between deciding on a call and running it; 0 or more."""

    def __init__(self, window: int) -> None:
        # BEGIN SOLUTION
        self._window = window
        # END SOLUTION

    def evaluate(self, call: ToolCall, ctx: GateContext) -> GateDecision:
        """Deny a call that was decided on more than `window` turns before ctx.turn; allow every other call.

        The call's own turn says when it was decided on. When anything was last read has no say: a call of the
        present turn is always allowed. gate_name is "RecencyGate", the reason is not empty.
        """
        # BEGIN SOLUTION
        waited = ctx.turn - call.turn
        return GateDecision(waited <= self._window, f"decided on {waited} turns ago", type(self).__name__)
        # END SOLUTION


# %% [markdown]
# Look at both: what is still visible in turn 9, and what the gate says to the six calls.


# %%
def after_a_gap():
    old = [TextObservation(ToolCall("read_file", {}, turn), turn, "the pressure is fine") for turn in (3, 4)]
    ledger = ObservationLedger()
    for observation in old:
        ledger.record(observation)
    print("visible in turn 7:", [each.turn for each in visible(old, 7, 3)])
    print("visible in turn 9:", [each.turn for each in visible(old, 9, 3)])
    said = {
        turn: RecencyGate(3).evaluate(ToolCall("read_file", {}, turn), GateContext(9, old, ledger))
        for turn in range(4, 10)
    }
    for turn, decision in said.items():
        print(f"decided on in turn {turn}:", "allow" if decision.allow else "DENY ", "·", decision.reason)
    return {turn for turn, decision in said.items() if decision.allow}


with attempt("ObservationLedger", "RecencyGate", "visible"):
    reveal("P03.8", after_a_gap)

# %% [markdown]
# <details><summary>After you have looked</summary>
#
# Nothing is visible any more, and a read that was decided on lately may run. That is the way back.
#
# </details>

# %% [markdown]
# ## 7 · All four, in order
#
# The whole chain at work, on the log files: each gate has its turn to refuse. Follow the orange squares from the
# top down, and note how much of the figure was never asked.

# %%
script = [
    ToolCall("list_files", {}, 1),
    ToolCall("shell", {"command": "cat day-1.log"}, 2),
    ToolCall("read_file", {"name": "../secrets.txt"}, 3),
    ToolCall("grep", {"pattern": "timeout"}, 4),
    ToolCall("read_file", {"name": "day-1.log"}, 1),
    ToolCall("read_file", {"name": "day-2.log"}, 6),
]

with attempt("ObservationLedger", "BudgetGate", "GateChain", "WhitelistGate", "RecencyGate"):
    gates = [
        WhitelistGate(["list_files", "read_file", "grep"]),
        RegexGate([r"\.\./"]),
        RecencyGate(3),
        BudgetGate(CEILING),
    ]
    result = run_loop(ScriptedModel(script), GateChain(gates), logs, ObservationLedger(), max_refusals=10)
    figures.show(figures.gate_waterfall(result["turns"], ["WhitelistGate", "RegexGate", "RecencyGate", "BudgetGate"]))
    for message in result["messages"]:
        if message["role"] == "system":
            print(message["content"])

# %% [markdown]
# ## 8 · A run that passes everything
#
# And a run in which no gate has anything to say. Look at the last line: there are no refusals, and what was read
# fits the budget.

# %%
with attempt("ObservationLedger", "BudgetGate", "GateChain"):
    ledger = ObservationLedger()
    chain = GateChain([ShortCallGate(200), PerToolBudgetGate({"read_file": 1000}), BudgetGate(1000)])
    result = run_loop(ScriptedModel(read_cards), chain, cards, ledger)
    print("ended:", result["ended"], "· refusals:", result["refusals"], "· read:", ledger.cumulative(), "of 1000")

# %% [markdown]
# ## What this does not do
#
# - **The ceiling is overshot**, by up to one observation. Only a limit inside the tool bounds it.
# - **The token count is a stand-in.** A quarter of the characters is fair for English prose, too low for other
#   scripts, and free below four characters. For a bill, ask the model's own tokenizer.
# - **Refusals cost tokens that no ledger counts.**
# - **An allowed call is not a good call.** Gates judge what they can compute. They do not know whether the search
#   was sensible, or whether its answer was understood.
# - **A pattern list leaks.** It narrows; it does not protect.
# - **Nothing bounds the number of allowed calls.** A model that reads empty files for ever is never refused. That
#   is what a step budget is for.
# - **A tool that raises ends the run here.** Turning failures into observations is the business of the agent's
#   own loop, in the other notebooks.
# - **Whoever can change the ledger or the chain can do anything.** Gates hold a model, not the process they run in.

# %% [markdown]
# ## Have you got it?
#
# **Answer without running anything**
#
# 1. A budget gate allows a call, and afterwards the ledger stands at twice the ceiling. Is the gate wrong?
# 2. What does a chain of no gates say, in code that forgot to think of it? And in yours?
# 3. Two gates deny the same call. Whose reason does the model read, and what decides it?
# 4. Why does a recency rule look at the turn of the call, and not at the time since the last read?
# 5. A run ended after three refusals, with exit code 0. Name two places where somebody can see that it did.
#
# **Show that you can**
#
# - run the three turns, and point out in the record every decision that was made;
# - swap two gates of the chain, and say beforehand which reason the model will read;
# - write one more gate (no call may repeat the one before it, say), and put it where it belongs in the order.
#
# <details><summary>Answers to 1 to 5</summary>
#
# 1. No: before the call the ceiling had not been reached, and nobody knew the size of the answer. 2. It allows
# everything; yours cannot be built. 3. That of the gate that stands first. 4. Because a fresh read must stay
# possible, or the run never gets out. 5. In `ended` and `refusals`, in the decisions of the turns, in the
# messages.
#
# </details>

# %% [markdown]
# ## Where to read on
#
# **The Protection of Information in Computer Systems** · J. H. Saltzer and M. D. Schroeder · Proceedings of the
# IEEE 63 (9), 1975
#
# - *Where*: [section I.A, "Design principles"](https://www.cs.virginia.edu/~evans/cs551/saltzer/): fail-safe
#   defaults, complete mediation, least privilege
# - *Rights*: © IEEE; linked only, nothing adapted
# - *Verified*: on 2026-10-30
# - *Why this one*: half a century old, and it names what you built: permission and not exclusion, every access
#   checked, no answer means no
# - *Presumes*: nothing but patience
# - *Offline*: part 4 above, the empty chain and the gate that raises
# - *Compared with*: [OWASP, LLM06:2025 Excessive Agency](https://genai.owasp.org/llmrisk/llm062025-excessive-agency/)
#   says the same of agents in a page, as a list of risks · [OpenAI Agents SDK,
#   Guardrails](https://openai.github.io/openai-agents-python/guardrails/) runs checks around tool calls, which
#   may themselves be models

# %% [markdown]
# **Middleware** · LangChain reference · LangChain, Inc.
#
# - *Where*: [LangChain, Middleware](https://reference.langchain.com/python/langchain/middleware), the entries on
#   tool call limits and on context editing
# - *Rights*: © the publisher, the library itself under the MIT licence; linked only, nothing adapted
# - *Verified*: on 2026-10-30
# - *Why this one*: a limit on tool calls can be told to go on, to end, or to raise, which is your choice at a
#   refusal; context editing clears old tool results, which is your `visible`
# - *Presumes*: agents built with that library; no account to read
# - *Offline*: parts 3, 4 and 6 above
# - *Compared with*: [Claude Agent SDK, Permissions](https://code.claude.com/docs/en/agent-sdk/permissions) asks
#   hooks, then rules, then a callback, in a fixed order: a chain · [LangGraph,
#   Persistence](https://docs.langchain.com/oss/python/langgraph/persistence) keeps every step, so refusals can be
#   looked up later, but refuses nothing by itself
#
# Next: **04**, where a run is saved, and replayed from any point.
